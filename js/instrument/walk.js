/**
 * One walk over the syntax tree, in the order of the text: finds every function for the table, and
 * places the polls.
 *
 * Polls cut execution into segments that belong to one function each. A poll of kind 0, or 2 in async
 * functions that are no generators (function entry, after `await` and `yield`), ends a segment of
 * whoever ran before; one of kind 1 (loops, exits, slow calls, before `await` and `yield`) ends a
 * segment of the function that it stands in.
 *
 * Segments that are too short to matter (ENOUGH in js/instrument/cost.js) get no poll at their end: they
 * become part of the next one. A function of nothing else has no polls, and its time is its caller's.
 */
import { LONG, ORDINARY, classify, classifyWrite, isSlowRead, timeOfNode } from './cost.js';
import { isInert } from './inert.js';
import { findInGap, followsWord } from './text.js';
import { isAnonymous, nameOfKey, nameOfMethod } from './names.js';

const TOP = 0;
const FUNCTION = 1;
const INITIALISER = 2;

/** What is known of the function whose body is being walked. */
class Scope {
  /** Estimated time of all code seen so far, ns. */
  cost = 0;

  /** Calls and the like, after which a poll has to come to be of use. */
  slow = 0;

  /** Polls placed in its body. */
  polls = 0;

  /** `cost` at the last poll on the way here. */
  polledCost = 0;

  /** The longest segment in what may be left by a jump. */
  longest = 0;

  /** An async function that is no generator. */
  isAsync = false;

  /** A function too short in text to have polls. */
  isSmall = false;

  /** On no stack that a poll could see. */
  isInert = false;

  /** Whether it may run again and again with no loop around it, so that its entry counts. */
  repeats = false;

  hasTemporary = false;

  /** Whether it may hand out a function, which then runs as soon as it does. */
  hasFunctions = false;

  inParameters = false;

  /** Slots and their texts, for when it is known whether this function is polled at all. */
  pending = [];

  constructor(kind, suspends, isExportedFunction, enough) {
    this.kind = kind;
    this.enough = enough;
    this.suspends = suspends;
    this.isExportedFunction = isExportedFunction;
  }

  /** What ran since the last poll, at most: a segment below `enough` needs no poll at its end. */
  get since() {
    return this.cost - this.polledCost;
  }

  set since(value) {
    this.polledCost = this.cost - value;
  }

  /** A poll ends the segment. */
  poll() {
    this.polls++;
    this.longest = Math.max(this.longest, this.since);
    this.since = 0;
  }

  /** What came before is the caller's, or was too quick to matter. */
  begin() {
    this.polledCost = this.cost;
    this.polls = 0;
  }

  /** Whether the segment is worth a poll, which then ends it. */
  needsPoll() {
    if (this.since < this.enough) return false;
    this.poll();
    return true;
  }

  /** Here another way joins, on which the segment may be longer. */
  join(since) {
    this.since = Math.max(this.since, since);
  }

  /** Walks what may be left by a jump from anywhere in it, or begun in more than one way. */
  within(walk) {
    const longest = Math.max(this.longest, this.since);
    this.longest = this.since;
    walk();
    this.join(this.longest);
    this.longest = Math.max(longest, this.since);
  }
}

/** Assignments that give their name to an anonymous function. */
const NAMING = new Set(['=', '&&=', '||=', '??=']);

const isIdle = (node) => {
  switch (node.type) {
    case 'Literal':
    case 'Identifier':
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return true;
    default:
      return false;
  }
};

/** Whether control never reaches what follows a statement. May say no where it does not. */
function isTerminal(node) {
  switch (node.type) {
    case 'ReturnStatement':
    case 'ThrowStatement':
      return true;
    case 'BlockStatement':
      return node.body.some(isTerminal);
    case 'IfStatement':
      return node.alternate !== null && isTerminal(node.consequent) && isTerminal(node.alternate);
    case 'TryStatement':
      if (node.finalizer !== null && isTerminal(node.finalizer)) return true;
      return isTerminal(node.block) && (node.handler === null || isTerminal(node.handler.body));
    default:
      return false;
  }
}

const isField = (member, isStatic) => member.type === 'StaticBlock' ? isStatic :
  member.type === 'PropertyDefinition' && member.static === isStatic;

/** How many statements at the start of a body are directives. */
export function countDirectives(statements) {
  let count = 0;
  while (count < statements.length && statements[count].directive !== undefined) count++;
  return count;
}

/**
 * @typedef {object} Texts  what is inserted
 * @property {string} entry  a poll of kind 0, an expression
 * @property {string} countedEntry  the same, one that counts
 * @property {string} asyncEntry  a poll of kind 2: the same, in an async function
 * @property {string} poll  a poll of kind 1, an expression
 * @property {string} loop  the same, one that counts
 * @property {string} begin  before what counts down the last cell
 * @property {string[]} polls  polls of kind 1 by the cell that they count down
 * @property {string} temporary  name of a variable
 * @property {string} initialise  an expression; what an exported function does first
 */

export class Walker {
  /**
   * @param {string} code
   * @param {import('./edits.js').Edits} edits
   * @param {Texts} texts
   * @param {{ isScript: boolean, exported: Set<object>, hoisted: Set<string>, declared: Set<string>,
   *   estimates: import('./estimate.js').Estimates, enough: number, minFunctionSize: number,
   *   unpolled: Set<object> }} about
   *   whether top-level statements have a completion value; functions that may be called before the
   *   module's body runs, and the names of all that are there by then; every name that is declared in
   *   the file; how long its functions run; ns from which a segment needs a poll; characters below
   *   which a function has none; bodies of functions to leave alone
   */
  constructor(code, edits, texts, about) {
    const { isScript, exported, hoisted, declared, estimates, enough, minFunctionSize, unpolled } = about;
    this.code = code;
    this.edits = edits;
    this.texts = texts;
    this.isScript = isScript;
    this.exported = exported;
    this.hoisted = hoisted;
    this.declared = declared;
    this.estimates = estimates;
    this.unpolled = unpolled;
    this.enough = enough;
    this.minFunctionSize = minFunctionSize;
    this.scope = new Scope(TOP, !isScript, false, enough);
    /** More than 0 within `"use asm"` and `with`, where nothing may be inserted. */
    this.frozen = 0;
    /** Where the current expression statement starts, and the slot there. */
    this.statementStart = -1;
    this.statementSlot = -1;
    this.earlyClass = null;
    /** The call whose end is polled by whoever walks it. */
    this.polledCall = null;
    /** More than 0 within a chain of `?.`, which a parenthesis would cut short. */
    this.chains = 0;
    /** More than 0 within what is assigned to, which is not read. */
    this.targets = 0;
  }

  /** @returns {{ hasTemporary: boolean }} what the top-level code needs */
  walk(program) {
    const { body } = program;
    this.visitAll(body.slice(countDirectives(body)));
    return { hasTemporary: this.scope.hasTemporary };
  }

  visit(node) {
    this.scope.cost += timeOfNode(node);
    const visitor = visitors[node.type];
    if (visitor === undefined) this.visitUnknown(node);
    else visitor(this, node);
  }

  visitAll(nodes) {
    for (const node of nodes) if (node !== null) this.visit(node);
  }

  /** A node of a kind that this file does not know: its children, in the order of the text. */
  visitUnknown(node) {
    const children = Object.values(node).flat().filter((value) => typeof value?.type === 'string');
    this.visitAll(children.sort((a, b) => a.start - b.start));
  }

  // Insertions

  insert(offset, text) {
    if (this.frozen === 0) this.edits.insert(offset, text);
  }

  slot(offset) {
    return this.frozen === 0 ? this.edits.slot(offset) : -1;
  }

  fill(slot, text) {
    if (slot >= 0) this.edits.fill(slot, text);
  }

  /** Fills a slot once it is known that the current function is polled. */
  fillIfPolled(slot, text) {
    if (this.scope.kind === FUNCTION) this.scope.pending.push(slot, text);
    else this.fill(slot, text);
  }

  useTemporary() {
    this.scope.hasTemporary = true;
    return this.texts.temporary;
  }

  // Functions

  /** A node that takes `name` if it is an anonymous function or class. */
  visitNamed(node, name) {
    if (!isAnonymous(node)) this.visit(node);
    else {
      this.scope.cost += timeOfNode(node);
      if (node.type === 'ClassExpression') this.visitClass(node, name);
      else this.visitFunction(node, name);
    }
  }

  /** The poll that ends a segment of whoever ran before this function. */
  get entry() {
    const { isAsync, repeats } = this.scope;
    if (isAsync) return this.texts.asyncEntry;
    return repeats ? this.texts.countedEntry : this.texts.entry;
  }

  /** Whether this may run before the module's body, with nothing initialised yet. */
  isEarly() {
    return this.scope.inParameters && this.scope.isExportedFunction;
  }

  visitEarly(node) {
    this.insert(node.start, `(${this.texts.initialise},`);
    this.visit(node);
    this.insert(node.end, ')');
  }

  definitionOf(node) {
    if (node.type === 'ArrowFunctionExpression') return node.start;
    return findInGap(this.code, node.id ? node.id.end : node.start, '(');
  }

  /** Walks something that is a function to the engine, with a scope of its own. */
  within(scope, start, definition, name, end, walk) {
    const { scope: outer, chains, targets } = this;
    outer.hasFunctions = true;
    this.scope = scope;
    this.chains = 0;
    this.targets = 0;
    this.edits.start(start, definition, name, scope.isAsync, scope.isInert);
    walk();
    const isQuiet = scope.isSmall || (scope.kind === FUNCTION && scope.polls === 0 && this.frozen === 0);
    this.edits.end(end, isQuiet);
    this.scope = outer;
    this.chains = chains;
    this.targets = targets;
  }

  visitFunction(node, name, mayBeInert = true) {
    const isExported = this.exported.has(node);
    const scope = new Scope(FUNCTION, node.async || node.generator, isExported, this.enough);
    scope.isAsync = node.async && !node.generator;
    scope.repeats = this.estimates.repeats(node);
    // Not one that has to initialise what it calls, since it may run before the module's body does.
    scope.isSmall = node.end - node.start < this.minFunctionSize && !isExported;
    if (scope.isSmall) this.frozen++;
    scope.isInert = mayBeInert && this.frozen === 0 && isInert(node, this.declared);
    const definition = this.definitionOf(node);
    this.within(scope, definition, definition, name, node.end, () => {
      scope.inParameters = true;
      this.visitAll(node.params);
      scope.inParameters = false;
      if (node.body.type === 'BlockStatement') this.visitBody(node.body);
      else this.visitExpressionBody(node);
    });
    if (scope.isSmall) this.frozen--;
  }

  visitBody(node) {
    const { start, body } = node;
    const { code, scope, texts } = this;
    const count = countDirectives(body);
    const isFrozen = body.slice(0, count).some(({ directive }) => directive === 'use asm') ||
      this.unpolled.has(node);
    if (isFrozen) this.frozen++;
    let at = start + 1;
    let separator = '';
    if (count > 0) {
      at = body[count - 1].end;
      if (code[at - 1] !== ';') separator = ';';
    }
    let entry = this.slot(at);
    // The entry poll comes after what is quick, so that a call that ends there meets none.
    let isQuick = scope.slow === 0 && scope.cost < scope.enough && !scope.isExportedFunction;
    scope.begin();
    for (let i = count; i < body.length; i++) {
      this.visit(body[i]);
      isQuick &&= scope.slow === 0 && scope.cost < scope.enough && scope.polls === 0;
      if (isQuick && i < body.length - 1) {
        const { end } = body[i];
        entry = this.slot(end);
        separator = code[end - 1] === ';' ? '' : ';';
        scope.begin();
      }
    }
    if (body.length > count && !body.some(isTerminal) && scope.needsPoll()) {
      const { end } = body[body.length - 1];
      const exit = this.slot(end);
      this.fillIfPolled(exit, (code[end - 1] === ';' ? '' : ';') + texts.poll);
    }
    if (scope.polls > 0) {
      this.fill(entry, separator + this.initialisation() + this.openTemporary() + this.entry + ';');
      const { pending } = scope;
      for (let i = 0; i < pending.length; i += 2) this.fill(pending[i], pending[i + 1]);
    } else if (scope.isExportedFunction && scope.hasFunctions) {
      this.fill(entry, separator + this.initialisation());
    }
    if (isFrozen) this.frozen--;
  }

  initialisation() {
    return this.scope.isExportedFunction ? this.texts.initialise + ';' : '';
  }

  openTemporary() {
    return this.scope.hasTemporary ? `let ${this.texts.temporary}=` : '';
  }

  /** The body of `x => expression`, which becomes `(poll, expression)` or a block. */
  visitExpressionBody(node) {
    const { scope, texts } = this;
    const { params, body } = node;
    const after = params.length > 0 ? params[params.length - 1].end : node.start;
    const open = this.slot(findInGap(this.code, after, '=>') + 2);
    scope.begin();
    const { isSlow, after: exit } = this.visitOperand(body);
    const needsExit = isSlow && scope.needsPoll();
    if (scope.polls === 0) return;
    const { temporary } = texts;
    if (!needsExit && !scope.hasTemporary) {
      this.fill(open, `(${this.entry},`);
      this.insert(node.end, ')');
    } else if (!needsExit || isAnonymous(body)) {
      // Assigning a class would give it a name.
      this.fill(open, `{let ${temporary}=${this.entry};return(`);
      this.insert(node.end, ')}');
    } else {
      this.fill(open, `{let ${temporary}=${this.entry};${temporary}=`);
      this.insert(node.end, `;${exit};return ${temporary}}`);
    }
  }

  visitClass(node, name) {
    const { edits, scope } = this;
    // Making a class runs its computed keys and static members.
    scope.slow++;
    const members = node.body.body;
    const hasConstructor = members.some(({ kind }) => kind === 'constructor');
    if (!hasConstructor) {
      // Engines place the frame of a default constructor at the class itself.
      scope.hasFunctions = true;
      edits.start(node.start, node.start, name);
      edits.end(node.start + 'class'.length);
    }
    if (node.superClass !== null) this.visit(node.superClass);
    if (node === this.earlyClass) {
      this.insert(node.body.start + 1, `static{${this.texts.initialise}}`);
    }
    const ownName = node.id?.name ?? '';
    const initialisers = [false, true].map((isStatic) => ({
      name: ownName,
      definition: members.find((member) => isField(member, isStatic))?.start,
    }));
    for (const member of members) this.visitMember(member, name, initialisers);
  }

  /**
   * @param {object} member
   * @param {string} className
   * @param {{ name: string, definition: number }[]} initialisers  To the engine, all fields of an
   *   instance are one function, named as the class is in its own text and placed at the first of them,
   *   and all static fields and blocks another.
   */
  visitMember(member, className, [ofInstance, ofClass]) {
    this.scope.cost += timeOfNode(member);
    switch (member.type) {
      case 'MethodDefinition': {
        if (member.computed) this.visit(member.key);
        const isConstructor = member.kind === 'constructor';
        this.visitFunction(member.value, isConstructor ? className : nameOfMethod(member), !isConstructor);
        break;
      }
      case 'PropertyDefinition': {
        if (member.computed) this.visit(member.key);
        const { value } = member;
        if (value === null) break;
        const scope = new Scope(INITIALISER, false, false, this.enough);
        const { definition, name } = member.static ? ofClass : ofInstance;
        this.within(scope, value.start, definition, name, value.end, () => {
          this.visitNamed(value, nameOfKey(member));
        });
        break;
      }
      case 'StaticBlock': {
        const scope = new Scope(INITIALISER, false, false, this.enough);
        const { definition, name } = ofClass;
        this.within(scope, member.start, definition, name, member.end, () => {
          this.visitAll(member.body);
        });
        break;
      }
      default:
        this.visit(member);
    }
  }

  // Exits and suspensions

  /**
   * Walks an expression, without a wrapper if it suspends.
   *
   * @returns {{ isSlow: boolean, resumes: boolean, cell: number, after: string }} whether it may take
   *   long; whether the last thing it does is to come back from a suspension; the kind of segment
   *   of the call that it ends with; the poll that belongs behind it
   */
  visitOperand(node) {
    const { scope } = this;
    const { cost, slow } = scope;
    const resumes = node.type === 'AwaitExpression' ||
      (node.type === 'YieldExpression' && !node.delegate);
    let cell = ORDINARY;
    if (resumes) {
      scope.cost += timeOfNode(node);
      this.visitSuspension(node);
    } else {
      const isCall = node.type === 'CallExpression' || node.type === 'NewExpression';
      cell = isCall ? classify(node, this.declared) : classifyWrite(node);
      const isLong = cell === LONG && this.mayPoll();
      if (isCall) this.polledCall = node;
      else if (cell !== ORDINARY) scope.slow++;
      if (isLong) this.openParenthesis(node, `(${this.texts.begin},`);
      this.visit(node);
      if (isLong) this.insert(node.end, ')');
    }
    return {
      isSlow: scope.slow > slow || scope.cost - cost >= scope.enough,
      resumes,
      cell,
      after: resumes ? this.entry : this.texts.polls[cell],
    };
  }

  /** Walks all of `a, b, c` but the last, which it returns. */
  visitAllButLast(node) {
    while (node.type === 'SequenceExpression') {
      const { expressions } = node;
      node = expressions[expressions.length - 1];
      for (let i = 0; i < expressions.length - 1; i++) this.visitUnused(expressions[i]);
    }
    return node;
  }

  /** The operand of `return` or `throw`: polled before if it is quick, else after. */
  visitExit(node) {
    const { code } = this;
    node = this.visitAllButLast(node);
    const before = this.slot(node.start);
    const { isSlow, resumes, after } = this.visitOperand(node);
    if (this.scope.kind !== FUNCTION || !(resumes || this.scope.needsPoll())) return;
    // `return"text"` needs no space, but what is put in between may.
    const space = followsWord(code, node.start) ? ' ' : '';
    if (!isSlow || isAnonymous(node)) {
      this.fillIfPolled(before, `${space}${this.texts.poll},`);
      return;
    }
    const temporary = this.useTemporary();
    this.fill(before, `${space}${temporary}=`);
    this.insert(node.end, `,${after},${temporary}`);
  }

  /** `await x` or `yield x` itself: the poll before it suspends. */
  visitSuspension({ start, argument }) {
    const { scope } = this;
    if (argument === null) {
      if (scope.needsPoll()) this.insert(start + 'yield'.length, ` void(${this.texts.poll})`);
      this.suspend();
      return;
    }
    const operand = this.visitAllButLast(argument);
    const before = this.slot(operand.start);
    const { isSlow, resumes, after } = this.visitOperand(operand);
    const needsPoll = resumes || scope.needsPoll();
    this.suspend();
    if (!needsPoll) return;
    if (!isSlow || isAnonymous(operand)) {
      this.fill(before, `(${this.texts.poll},`);
      this.insert(operand.end, ')');
    } else {
      const temporary = this.useTemporary();
      this.fill(before, `(${temporary}=`);
      this.insert(operand.end, `,${after},${temporary})`);
    }
  }

  /** What ran since the last poll is not this function's any more. The poll behind tells so. */
  suspend() {
    this.scope.slow++;
    this.scope.poll();
  }

  /** An expression whose value nobody uses. */
  visitUnused(node) {
    if (node.type === 'SequenceExpression') {
      this.scope.cost += timeOfNode(node);
      for (const expression of node.expressions) this.visitUnused(expression);
      return;
    }
    const { resumes, cell, after } = this.visitOperand(node);
    if (resumes || (cell !== ORDINARY && this.mayPoll())) {
      this.insert(node.end, ',' + after);
      this.scope.poll();
    }
  }

  /** Whether a poll may stand within an expression here. */
  mayPoll() {
    const { kind, inParameters } = this.scope;
    if (kind === TOP) return !this.isScript;
    return kind === FUNCTION && !inParameters;
  }

  /** `f(x)` or `new F(x)`. */
  visitCall(node) {
    const { scope, declared } = this;
    const isPolled = node === this.polledCall;
    const cell = isPolled ? ORDINARY : classify(node, declared);
    scope.slow++;
    const walk = () => {
      // Its receiver is lost if it is wrapped.
      if (isSlowRead(node.callee)) this.visitTarget(node.callee);
      else this.visit(node.callee);
      this.visitAll(node.arguments);
      scope.cost += this.estimates.timeOfCall(node, declared);
    };
    if (cell === ORDINARY) walk();
    else this.visitWrapped(node, cell, walk);
  }

  /** An expression that may take long, with a poll behind it where one may stand. */
  visitWrapped(node, cell, walk) {
    if (this.chains > 0 || !this.mayPoll()) {
      walk();
      return;
    }
    const temporary = this.useTemporary();
    const begin = cell === LONG ? this.texts.begin + ',' : '';
    this.openParenthesis(node, `(${begin}${temporary}=`);
    walk();
    this.insert(node.end, `,${this.texts.polls[cell]},${temporary})`);
    this.scope.poll();
  }

  openParenthesis(node, text) {
    // After a statement without semicolon, a parenthesis would make a call of it.
    if (node.start === this.statementStart) this.fill(this.statementSlot, this.zero(node));
    this.insert(node.start, text);
  }

  /** `else[1].sort().x` needs no space, but what is put in between does. */
  zero({ start }) {
    return followsWord(this.code, start) ? ' 0,' : '0,';
  }

  /** What is assigned to, updated or deleted. */
  visitTarget(node) {
    this.targets++;
    this.visit(node);
    this.targets--;
  }

  // Statements

  /** The single statement that `if`, a label or a loop governs. */
  visitGoverned(node) {
    if (node.type !== 'ReturnStatement' || node.argument !== null) this.visit(node);
    else {
      this.scope.cost += timeOfNode(node);
      if (!this.scope.needsPoll()) return;
      this.fillIfPolled(this.slot(node.start), `{${this.texts.poll};`);
      this.fillIfPolled(this.slot(node.end), '}');
    }
  }

  /** The body of a loop that polls at the start of each turn. */
  visitPolledBody(body, poll) {
    // A declaration has no completion value, so that the loop's own stays what it was.
    const isSeen = this.isScript && this.scope.kind === TOP;
    const statement = isSeen ? `let ${this.texts.temporary}=${poll};` : poll + ';';
    this.scope.poll();
    if (body.type === 'BlockStatement') {
      this.insert(body.start + 1, statement);
      this.visit(body);
    } else {
      this.insert(body.start, '{' + statement);
      this.visitGoverned(body);
      this.insert(body.end, '}');
    }
  }
}

const visitLeaf = () => {};

function visitForEach(walker, node) {
  const { scope } = walker;
  scope.within(() => {
    walker.visitTarget(node.left);
    walker.visit(node.right);
    walker.visitPolledBody(node.body, node.await ? walker.entry : walker.texts.loop);
  });
}

function visitBinary(walker, node) {
  walker.visit(node.left);
  walker.visit(node.right);
}

function visitArgument(walker, node) {
  if (node.argument !== null) walker.visit(node.argument);
}

function visitSlowArgument(walker, node) {
  walker.scope.slow++;
  walker.visit(node.argument);
}

function visitCall(walker, node) {
  walker.visitCall(node);
}

function visitSuspending(walker, node) {
  if (node.delegate) {
    walker.scope.slow++;
    walker.visit(node.argument);
    return;
  }
  const temporary = walker.useTemporary();
  walker.openParenthesis(node, `(${temporary}=`);
  walker.visitSuspension(node);
  walker.insert(node.end, `,${walker.entry},${temporary})`);
  walker.scope.poll();
}

function visitFunctionNode(walker, node) {
  walker.visitFunction(node, node.id?.name ?? '');
}

function visitStatements(walker, node) {
  walker.visitAll(node.body);
}

const visitors = {
  Program: visitStatements,
  BlockStatement: visitStatements,

  ExpressionStatement(walker, { start, expression }) {
    if (walker.isScript && walker.scope.kind === TOP) walker.visit(expression);
    else {
      walker.statementStart = start;
      walker.statementSlot = walker.slot(start);
      walker.visitUnused(expression);
    }
  },
  EmptyStatement: visitLeaf,
  DebuggerStatement: visitLeaf,
  BreakStatement: visitLeaf,
  ContinueStatement: visitLeaf,
  ReturnStatement(walker, node) {
    if (node.argument !== null) walker.visitExit(node.argument);
    else if (walker.scope.needsPoll()) {
      walker.fillIfPolled(walker.slot(node.start), walker.texts.poll + ';');
    }
  },
  ThrowStatement(walker, node) {
    walker.visitExit(node.argument);
  },
  LabeledStatement(walker, node) {
    walker.scope.within(() => walker.visitGoverned(node.body));
  },
  WithStatement(walker, node) {
    walker.visit(node.object);
    // The object is asked for every name that is used here: a proxy would see ours, or claim them.
    walker.frozen++;
    walker.visitGoverned(node.body);
    walker.frozen--;
  },
  IfStatement(walker, node) {
    const { scope } = walker;
    walker.visit(node.test);
    const { since } = scope;
    walker.visitGoverned(node.consequent);
    const afterConsequent = isTerminal(node.consequent) ? 0 : scope.since;
    scope.since = since;
    if (node.alternate !== null) walker.visitGoverned(node.alternate);
    if (node.alternate !== null && isTerminal(node.alternate)) scope.since = afterConsequent;
    else scope.join(afterConsequent);
  },
  SwitchStatement(walker, node) {
    walker.visit(node.discriminant);
    walker.scope.within(() => {
      const { since } = walker.scope;
      for (const one of node.cases) {
        walker.scope.join(since);
        walker.visit(one);
      }
    });
  },
  SwitchCase(walker, node) {
    if (node.test !== null) walker.visit(node.test);
    walker.visitAll(node.consequent);
  },
  TryStatement(walker, node) {
    const { scope } = walker;
    scope.within(() => {
      walker.visit(node.block);
      scope.join(scope.longest);
      if (node.handler !== null) walker.visit(node.handler);
      scope.join(scope.longest);
      if (node.finalizer !== null) {
        walker.visit(node.finalizer);
        // Unwinding a stack takes long, and no exit is polled on the way.
        if (scope.kind === FUNCTION) {
          walker.insert(node.finalizer.end - 1, `;${walker.texts.poll}`);
          scope.poll();
        }
      }
    });
  },
  CatchClause(walker, node) {
    if (node.param !== null) walker.visit(node.param);
    walker.visit(node.body);
  },
  WhileStatement(walker, node) {
    const { scope } = walker;
    scope.within(() => {
      walker.insert(node.test.start, walker.texts.loop + ',');
      scope.poll();
      // However the loop is left, this poll has run.
      scope.longest = 0;
      walker.visit(node.test);
      walker.visitGoverned(node.body);
    });
  },
  DoWhileStatement(walker, node) {
    const { scope } = walker;
    scope.within(() => {
      // A later turn begins with what the test took.
      scope.join(scope.enough);
      walker.visitGoverned(node.body);
      walker.insert(node.test.start, walker.texts.loop + ',');
      scope.poll();
      walker.visit(node.test);
    });
  },
  ForStatement(walker, node) {
    const { code, scope, texts } = walker;
    scope.within(() => {
      if (node.init !== null) walker.visit(node.init);
      const { since: afterInit } = scope;
      if (node.test !== null) walker.visit(node.test);
      const { since: beforeFirst } = scope;
      if (node.update !== null) {
        walker.insert(node.update.start, texts.loop + ',');
        scope.poll();
        walker.visit(node.update);
      } else {
        let at = node.test?.end;
        if (at === undefined) at = findInGap(code, node.init?.end ?? node.start + 'for'.length, ';') + 1;
        walker.insert(findInGap(code, at, ';') + 1, texts.loop);
        scope.poll();
      }
      // Later turns begin with the update and the test.
      scope.since += beforeFirst - afterInit;
      scope.join(beforeFirst);
      walker.visitGoverned(node.body);
    });
  },
  ForInStatement: visitForEach,
  ForOfStatement: visitForEach,

  FunctionDeclaration: visitFunctionNode,
  FunctionExpression: visitFunctionNode,
  ArrowFunctionExpression: visitFunctionNode,
  ClassDeclaration(walker, node) {
    walker.visitClass(node, node.id?.name ?? '');
  },
  ClassExpression(walker, node) {
    walker.visitClass(node, node.id?.name ?? '');
  },
  VariableDeclaration(walker, node) {
    walker.visitAll(node.declarations);
  },
  VariableDeclarator(walker, { id, init }) {
    walker.visit(id);
    if (init !== null) walker.visitNamed(init, id.type === 'Identifier' ? id.name : '');
  },
  ImportDeclaration: visitLeaf,
  ExportAllDeclaration: visitLeaf,
  ExportNamedDeclaration(walker, node) {
    if (node.declaration !== null) walker.visit(node.declaration);
  },
  ExportDefaultDeclaration(walker, { declaration }) {
    if (declaration.id) {
      walker.visit(declaration);
      return;
    }
    switch (declaration.type) {
      case 'FunctionDeclaration':
        walker.visitFunction(declaration, 'default');
        break;
      case 'ClassDeclaration':
        walker.visitClass(declaration, 'default');
        break;
      default:
        walker.visitNamed(declaration, 'default');
    }
  },

  Identifier(walker, { name }) {
    if (walker.hoisted.has(name)) walker.scope.hasFunctions = true;
  },
  PrivateIdentifier: visitLeaf,
  Literal: visitLeaf,
  ThisExpression: visitLeaf,
  Super: visitLeaf,
  MetaProperty: visitLeaf,
  TemplateLiteral(walker, node) {
    walker.visitAll(node.expressions);
  },
  TaggedTemplateExpression(walker, node) {
    walker.scope.slow++;
    walker.visitTarget(node.tag);
    walker.visit(node.quasi);
  },
  ArrayExpression(walker, node) {
    walker.visitAll(node.elements);
  },
  ArrayPattern(walker, node) {
    walker.targets++;
    walker.visitAll(node.elements);
    walker.targets--;
  },
  ObjectExpression(walker, node) {
    walker.visitAll(node.properties);
  },
  ObjectPattern(walker, node) {
    walker.targets++;
    walker.visitAll(node.properties);
    walker.targets--;
  },
  Property(walker, node) {
    const { key, value, computed } = node;
    if (computed) {
      if (walker.isEarly()) walker.visitEarly(key);
      else walker.visit(key);
    }
    if (node.method || node.kind !== 'init') walker.visitFunction(value, nameOfMethod(node));
    else if (!computed && !node.shorthand && nameOfKey(node) === '__proto__') walker.visit(value);
    else walker.visitNamed(value, nameOfKey(node));
  },
  RestElement: visitSlowArgument,
  SpreadElement: visitSlowArgument,
  AssignmentPattern(walker, { left, right }) {
    walker.visit(left);
    const { since } = walker.scope;
    const name = left.type === 'Identifier' ? left.name : '';
    if (!walker.isEarly() || isIdle(right)) walker.visitNamed(right, name);
    else if (isAnonymous(right)) {
      // A class; what it runs first is the static block put into it.
      walker.earlyClass = right;
      walker.visitNamed(right, name);
    } else walker.visitEarly(right);
    walker.scope.join(since);
  },
  AssignmentExpression(walker, { start, operator, left, right }) {
    walker.visitTarget(left);
    const { since } = walker.scope;
    const isNaming = left.type === 'Identifier' && left.start === start && NAMING.has(operator);
    walker.visitNamed(right, isNaming ? left.name : '');
    // `a ||= b` may not come to b.
    if (operator !== '=' && NAMING.has(operator)) walker.scope.join(since);
  },
  UnaryExpression(walker, { operator, argument }) {
    if (operator === 'delete') walker.visitTarget(argument);
    else walker.visit(argument);
  },
  UpdateExpression(walker, { argument }) {
    walker.visitTarget(argument);
  },
  AwaitExpression: visitSuspending,
  YieldExpression: visitSuspending,
  BinaryExpression: visitBinary,
  LogicalExpression(walker, node) {
    walker.visit(node.left);
    const { since } = walker.scope;
    walker.visit(node.right);
    walker.scope.join(since);
  },
  ConditionalExpression(walker, node) {
    const { scope } = walker;
    walker.visit(node.test);
    const { since } = scope;
    walker.visit(node.consequent);
    const { since: afterConsequent } = scope;
    scope.since = since;
    walker.visit(node.alternate);
    scope.join(afterConsequent);
  },
  SequenceExpression(walker, node) {
    walker.visitAll(node.expressions);
  },
  CallExpression: visitCall,
  NewExpression: visitCall,
  ImportExpression(walker, node) {
    walker.scope.slow++;
    walker.visit(node.source);
    if (node.options) walker.visit(node.options);
  },
  MemberExpression(walker, node) {
    const walk = () => {
      walker.visit(node.object);
      if (node.computed) walker.visit(node.property);
    };
    if (walker.targets > 0 || !isSlowRead(node)) walk();
    else {
      walker.scope.slow++;
      walker.visitWrapped(node, LONG, walk);
    }
  },
  ChainExpression(walker, node) {
    const { since } = walker.scope;
    walker.chains++;
    walker.visit(node.expression);
    walker.chains--;
    walker.scope.join(since);
  },
  ParenthesizedExpression(walker, node) {
    walker.visit(node.expression);
  },
};
