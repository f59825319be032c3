/**
 * Random programs that use most of the language, always end, and log what they do. The same seed gives the
 * same program.
 */

const LOOP_TURNS = 3;
const FUEL = 400;

class Generator {
  constructor(seed) {
    this.state = seed >>> 0;
    this.counter = 0;
    this.frames = [];
    this.size = 0;
  }

  // Choices

  next() {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return (this.state >>> 8) / 2 ** 24;
  }

  below(limit) {
    return Math.floor(this.next() * limit);
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(choices) {
    return choices[this.below(choices.length)];
  }

  fresh(prefix) {
    return prefix + this.counter++;
  }

  // Where we are

  get frame() {
    return this.frames[this.frames.length - 1];
  }

  /** Text that is made with the given things known or allowed. */
  inside(changes, make) {
    this.frames.push({ ...this.frame, ...changes });
    const text = make();
    this.frames.pop();
    return text;
  }

  /** A name that may be read. */
  variable() {
    return this.pick(this.frame.variables);
  }

  get isDeep() {
    return this.frame.depth > 5 || this.size > 1200;
  }

  // Text

  gap() {
    const value = this.next();
    if (value < 0.8) return '';
    if (value < 0.9) return ' ';
    return value < 0.95 ? '/* ( */' : '/**/ ';
  }

  /** No statement begins with what would continue the one before, so that its semicolon may be missing. */
  end() {
    return this.pick([';', ';', ';\n', '\n', ' // {\n', '/* ; */;', '\n\n']);
  }

  list(make, least, most) {
    return Array.from({ length: least + this.below(most - least + 1) }, make).join(',' + this.gap());
  }

  // Expressions

  expression() {
    this.size++;
    if (this.isDeep) return this.atom();
    return this.inside({ depth: this.frame.depth + 1 }, () => this.compound());
  }

  atom() {
    return this.pick([
      () => String(this.below(9)), () => `'s${this.below(3)}'`, () => this.variable(), () => this.variable(),
      () => 'null', () => 'undefined', () => 'true', () => '[]', () => '(/[/]/)', () => '`t`',
    ])();
  }

  compound() {
    const e = () => this.expression();
    const { isAsync, isGenerator } = this.frame;
    const choices = [
      e, () => this.atom(), () => `log(${e()})`, () => `log(${e()})`, () => `log(${e()})`,
      () => `(${this.gap()}${e()}${this.pick([' - ', '*', ' | ', ' < ', '===', ' && ', '||', ' ^ '])}${e()})`,
      () => `(${e()}${this.gap()}?${e()}:${e()})`, () => `(${e()},${e()})`,
      () => `(${this.assignable()} = ${e()})`,
      () => `[${this.list(e, 0, 3)}]`, () => `[...[${this.list(e, 0, 2)}]]`, () => `(${e()})?.a?.[${e()}]`,
      () => `(typeof ${this.atom()})`, () => `(!${e()})`, () => `(void ${this.gap()}${e()})`,
      () => `\`a\${${e()}}b\``,
      () => `({${this.list(() => this.property(), 0, 3)}})`, () => `(${this.functionExpression()})`,
      () => this.call(), () => this.call(), () => `(${this.arrow()})(${this.list(e, 0, 2)})`,
      () => `(${this.functionExpression()})(${this.list(e, 0, 2)})`,
      () => `new (${this.classText('')})(${e()})`,
      () => `(${this.arrow()}).name`, () => `(${this.variable()} in {a: ${e()}})`,
      () => `log\`x\${${e()}}\`.length`,
      () => `[${this.list(e, 0, 3)}].map(${this.arrow()})`, () => `new.target`,
      () => `(delete {a: ${e()}}.a)`,
    ];
    if (isAsync) {
      choices.push(...Array(6).fill(() => `(${this.gap()}await ${e()})`));
      choices.push(() => `(await${this.gap()} [${e()}])`);
    }
    if (isGenerator) {
      choices.push(...Array(6).fill(() => `(yield ${e()})`));
      choices.push(() => '(yield)', () => `(yield* [${e()}])`);
    }
    const make = this.pick(choices);
    const text = make();
    return text === 'new.target' && !this.frame.hasTarget ? '0' : text;
  }

  assignable() {
    return this.pick(this.frame.assignable);
  }

  call() {
    const { functions } = this.frame;
    if (functions.length === 0) return this.atom();
    return `show(${this.pick(functions)}(${this.list(() => this.expression(), 0, 3)}))`;
  }

  property() {
    const e = () => this.expression();
    return this.pick([
      () => `a: ${e()}`, () => `b: ${this.arrow()}`, () => `[${e()}]: ${e()}`,
      () => `'c d': ${this.functionExpression()}`,
      () => `...${e()}`, () => `get e() ${this.body({})}`, () => `m${this.parameters((p) => this.body(p))}`,
      () => `set f(v) ${this.body({ parameters: ['v'] })}`, () => this.variable(),
    ])();
  }

  // Functions

  /** `(a, b = ...)` and what follows it. */
  parameters(make) {
    const names = Array.from({ length: this.below(3) }, () => this.fresh('p'));
    const text = names.map((name) => {
      if (this.chance(0.7)) return name;
      // No calls of functions with a name: nothing would end a recursion here.
      return this.inside({ isAsync: false, isGenerator: false, functions: [] }, () => this.pick([
        () => `${name} = ${this.expression()}`, () => `{a: ${name} = ${this.expression()}} = {}`,
        () => `[${name}] = []`,
      ])());
    }).join(`,${this.gap()}`);
    return `(${text})${make({ parameters: names })}`;
  }

  inner(changes, parameters) {
    return {
      isAsync: false, isGenerator: false, labels: [], loops: [], isFunction: true, isLoop: false,
      isSwitch: false,
      ...changes,
      depth: this.frame.depth + 1,
      variables: [...this.frame.variables, ...parameters],
      assignable: [...this.frame.assignable, ...parameters],
    };
  }

  body({ parameters = [], ...changes }) {
    return this.inside(this.inner({ hasTarget: true, ...changes }, parameters), () => {
      const mayDirect = parameters.length === 0 && !changes.hasSuper;
      const directive = mayDirect && this.chance(0.1) ? `'use directive'${this.end()}` : '';
      return `{${this.gap()}${directive}burn()${this.end()}${this.statements(4)}}`;
    });
  }

  functionExpression() {
    const isAsync = this.chance(0.2);
    const isGenerator = this.chance(0.2);
    const name = this.chance(0.3) ? ` ${this.fresh('n')}` : '';
    return `${isAsync ? 'async ' : ''}function${isGenerator ? '*' : ''}${name}` +
      `${this.gap()}${this.parameters((p) => this.body({ ...p, isAsync, isGenerator }))}`;
  }

  arrow() {
    const isAsync = this.chance(0.3);
    const hasTarget = this.frame.hasTarget;
    return (isAsync ? 'async ' : '') + this.parameters(({ parameters }) => {
      const arrow = `${this.gap()}=>${this.gap()}`;
      if (this.chance(0.4)) return arrow + this.body({ parameters, isAsync, hasTarget });
      return this.inside(this.inner({ isAsync, hasTarget }, parameters), () => {
        const text = this.expression();
        return arrow + (this.chance(0.2) ? `(${text})` : text.startsWith('{') ? `(${text})` : text);
      });
    });
  }

  classText(name) {
    const isDerived = this.chance(0.4);
    const e = () => this.inside(this.inner({ hasTarget: true }, []), () => this.expression());
    const inBlock = this.inner({ isFunction: false, hasTarget: true }, []);
    const members = Array.from({ length: this.below(4) }, (_, i) => this.pick([
      () => `f${i} = ${e()};`, () => `static s${i} = ${e()};`, () => `#p${i} = ${e()};`,
      () => `m${i}${this.parameters((p) => this.body(p))}`,
      () => `static async m${i}${this.parameters((p) => this.body({ ...p, isAsync: true }))}`,
      () => `*g${i}${this.parameters((p) => this.body({ ...p, isGenerator: true }))}`,
      () => `get a${i}() ${this.body({})}`,
      () => `static {${this.inside(inBlock, () => this.statements(2))}}`,
      () => `[${this.expression()}] = ${e()};`, () => `static [${this.expression()}]() ${this.body({})}`,
    ])()).join(this.pick(['', '\n', ' ']));
    const constructor = this.chance(0.4) ? `constructor${this.parameters((p) => {
      const body = this.body({ ...p, hasSuper: isDerived });
      return isDerived ? `{ burn(); super()${this.end()}${body}}` : body;
    })}` : '';
    const base = this.pick(['Object', 'Base', '(Base)', '(log(Base))']);
    return `class ${name}${isDerived ? ` extends ${base}` : ''}` +
      `${this.gap()}{${constructor}${this.gap()}${members}}`;
  }

  // Statements

  statements(most) {
    const { frame } = this;
    // What is declared here is known from here on.
    const known = {
      variables: [...frame.variables],
      assignable: [...frame.assignable],
      functions: [...frame.functions],
    };
    return this.inside(known, () => {
      let text = '';
      for (let count = 1 + this.below(most); count > 0; count--) text += this.statement();
      return text;
    });
  }

  block() {
    return `{${this.gap()}${this.statements(3)}}`;
  }

  /** A statement where no declaration may be. */
  single() {
    if (this.chance(0.5)) return this.block();
    if (this.isDeep) return `log(${this.atom()})${this.end()}`;
    return this.inside({ depth: this.frame.depth + 1 }, () => this.simple());
  }

  statement() {
    this.size++;
    if (this.isDeep) return `log(${this.atom()})${this.end()}`;
    return this.inside({ depth: this.frame.depth + 1 }, () =>
      (this.chance(0.25) ? this.declaration() : this.simple()));
  }

  declaration() {
    // The frame of the statement list, two levels up, is told of the name.
    const list = this.frames[this.frames.length - 2];
    const declare = (name, canAssign) => {
      list.variables.push(name);
      if (canAssign) list.assignable.push(name);
    };
    /** A declaration whose initialiser does not know the name. */
    const variable = (makeText, canAssign = false) => {
      const name = this.fresh('x');
      const text = makeText(name) + this.end();
      declare(name, canAssign);
      return { name, text };
    };
    const e = () => this.expression();
    return this.pick([
      () => variable((name) => `let ${name} = ${e()}`, true).text,
      () => variable((name) => `const ${name} = ${e()}`).text,
      () => variable((name) => `const {a: ${name} = ${e()}} = {}`).text,
      () => {
        const { name, text } = variable((own) => `const ${own} = ${this.arrow()}`);
        list.functions.push(name);
        return text;
      },
      () => {
        const name = this.fresh('f');
        const isAsync = this.chance(0.3);
        const isGenerator = this.chance(0.3);
        list.functions.push(name);
        declare(name, false);
        return `${isAsync ? 'async ' : ''}function${isGenerator ? '*' : ''} ${name}` +
          `${this.parameters((p) => this.body({ ...p, isAsync, isGenerator }))}\n`;
      },
      () => variable((name) => `${this.classText(name)}\n`).text,
    ])();
  }

  simple() {
    const e = () => this.expression();
    const { frame } = this;
    const choices = [
      () => `log(${e()})${this.end()}`, () => `log(${e()})${this.end()}`,
      () => `v${this.below(3)} = ${e()}${this.end()}`,
      () => `if (${e()}) ${this.single()}`, () => `if (${e()}) ${this.single()} else ${this.single()}`,
      () => this.loop(), () => this.loop(), () => this.loop(), () => this.block(), () => this.tryText(),
      () => this.tryText(),
      () => this.switchText(), () => this.labelled(), () => `void ${e()}${this.end()}`, () => `;`,
      () => `show(${e()})${this.end()}`,
    ];
    if (frame.isFunction) {
      choices.push(() => `return ${e()}${this.end()}`, () => `return ${e()}, ${e()}${this.end()}`);
      choices.push(() => `return${this.pick([';', '\n'])}`,
        () => `if (${e()}) return ${e()}${this.end()}`, () => `if (${e()}) return;`,
        () => `throw ${e()}${this.end()}`);
    }
    if (frame.isLoop) choices.push(() => `continue${this.pick([';', '\n'])}`, () => `if (${e()}) continue;`);
    if (frame.isLoop || frame.isSwitch) choices.push(() => `if (${e()}) break;`);
    if (frame.labels.length > 0) choices.push(() => `if (${e()}) break ${this.pick(frame.labels)};`);
    if (frame.loops.length > 0) choices.push(() => `if (${e()}) continue ${this.pick(frame.loops)};`);
    if (frame.isAsync) {
      choices.push(...Array(4).fill(() => `await ${e()}${this.end()}`));
      choices.push(() => `await ${e()} || ${e()}${this.end()}`,
        () => `await ${e()}, await ${e()}${this.end()}`);
    }
    if (frame.isGenerator) {
      choices.push(...Array(4).fill(() => `yield ${e()}${this.end()}`));
      choices.push(() => `yield ${e()}, yield${this.pick([';', '\n'])}`,
        () => `v1 = yield ${e()}${this.end()}`);
    }
    return this.pick(choices)();
  }

  loop(label) {
    const i = this.fresh('i');
    const e = () => this.expression();
    const loops = label ? [...this.frame.loops, label] : this.frame.loops;
    const inLoop = { isLoop: true, loops, variables: [...this.frame.variables, i] };
    const body = () => this.inside(inLoop, () => this.single());
    const gap = () => this.gap();
    const bound = `${i}++ < ${1 + this.below(LOOP_TURNS)}`;
    const choices = [
      () => `for (let ${i} = 0;${gap()}${i} < ${LOOP_TURNS};${gap()}${i}++${gap()}) ${body()}`,
      () => `for (let ${i} = 0;${gap()}${bound}${gap()};${gap()}) ${body()}`,
      () => `for (let ${i} = 0; ${bound}; ${e()}, ${e()}) ${body()}`,
      () => `for (let ${i} = 0;;) { if (${i}++ > 2) break; ` +
        `${this.inside({ isLoop: true, loops }, () => this.statements(2))} }`,
      () => `for (const ${i} of [${this.list(e, 0, 3)}]) ${body()}`,
      () => `for (var ${i} of [${this.list(e, 0, 3)}])${body()}`,
      () => `for (const ${i} in {a: ${e()}, b: 1}) ${body()}`,
      () => `for (const [${i}] of [[${e()}]]) ${body()}`,
    ];
    if (!label) {
      choices.push(
        () => `{ let ${i} = 0; while (${bound}) ${body()} }`,
        () => `{ let ${i} = 0; while ((${e()}, ${bound})) ${body()} }`,
        () => `{ let ${i} = 0; do ${body()} while (${bound})${this.pick([';', '\n', ' '])} }`,
      );
    }
    if (this.frame.isAsync) choices.push(() => `for await (const ${i} of [${this.list(e, 0, 3)}]) ${body()}`);
    return `${this.pick(choices)()}\n`;
  }

  labelled() {
    const label = this.fresh('L');
    const labels = [...this.frame.labels, label];
    return this.inside({ labels }, () => `${label}: ${this.chance(0.5) ? this.block() : this.loop(label)}\n`);
  }

  tryText() {
    const handler = () => {
      const name = this.fresh('e');
      return this.inside({ variables: [...this.frame.variables, name] }, () =>
        `catch (${name}) { caught(${name})${this.end()}${this.statements(2)}}`);
    };
    return `try ${this.block()}${this.pick([
      handler, () => `catch ${this.block()}`, () => `finally ${this.block()}`,
      () => `${handler()} finally ${this.block()}`,
    ])()}\n`;
  }

  switchText() {
    return this.inside({ isSwitch: true }, () => {
      const cases = Array.from({ length: this.below(4) }, () =>
        `case ${this.expression()}: ${this.inside({ isSwitch: true }, () => this.simple())}` +
        `${this.chance(0.4) ? 'break;' : ''}`);
      if (this.chance(0.5)) cases.splice(this.below(cases.length + 1), 0, `default: ${this.simple()}`);
      return `switch (${this.expression()}) {${cases.join('')}}\n`;
    });
  }

  program() {
    this.frames = [{
      depth: 0, isAsync: false, isGenerator: false, isFunction: false, isLoop: false, isSwitch: false,
      hasTarget: false,
      labels: [], loops: [], variables: ['v0', 'v1', 'v2'], assignable: ['v0', 'v1', 'v2'], functions: [],
    }];
    return this.statements(12);
  }
}

/**
 * What every program begins with: it ends what goes on for too long, looks into what functions return, and
 * hides the texts of functions, which polls change.
 */
const PREAMBLE = `var v0 = 0, v1 = 'x', v2 = [1, { a: 2 }], fuel = ${FUEL};
var burn = () => { if (fuel-- < 0) throw 'no fuel' };
var caught = (e) => log('caught', e instanceof Error ? e.name : e);
var show = (x) => {
  burn();
  if (x instanceof Promise) x.then((y) => log('then', y), caught);
  else if (typeof x?.next === 'function') {
    try {
      for (let i = 0; i < 4; i++) {
        const step = x.next(i);
        if (step instanceof Promise) step.then((y) => log('step', y), caught);
        else if (log('step', step).done) break;
      }
    } catch (e) { caught(e) }
  }
  return x;
};
var Base = class { constructor() { burn() } };
Function.prototype.toString = () => 'text';
`;

/**
 * @param {number} seed
 * @returns {string} a classic script
 */
export function makeProgram(seed) {
  return PREAMBLE+ new Generator(seed).program();
}
