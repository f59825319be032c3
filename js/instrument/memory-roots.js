/**
 * The option `memoryRoots`: makes visible to js/measure-memory what no global leads to, the variables of
 * modules, of scripts and of functions that closures hold.
 *
 * Each such scope gets a thunk, `r=>{r(a);try{r(b)}catch{}}`, that hands the values of its variables to a
 * function: behind the prologue that of the file, at the start of their bodies those of functions. Only
 * variables that an inner function uses are read, which live as long as some closure does anyway.
 *
 * Thunks of functions are only held weakly by the hub (`w`), and by a constant of the scope that they
 * read themselves, so that they live exactly as long as what the scope's closures can reach.
 */
import { findInGap } from './text.js';
import { countDirectives } from './walk.js';

/** A scope that declares variables. */
class Scope {
  /** name -> { mayBeUnset, isCaptured, isRead } */
  variables = new Map();

  constructor(outer, owner) {
    this.outer = outer;
    this.owner = owner ?? outer.owner;
    this.isOwn = owner !== undefined;
  }

  /** `mayBeUnset`: reading it too early throws. */
  declare(name, mayBeUnset, isRead = true) {
    if (!this.variables.has(name)) this.variables.set(name, { mayBeUnset, isRead, isCaptured: false });
  }
}

const FUNCTION = /Function/;

/** The names that a pattern binds. */
function* namesIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      yield pattern.name;
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) yield* namesIn(property.value ?? property.argument);
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) yield* namesIn(element);
      break;
    case 'AssignmentPattern':
      yield* namesIn(pattern.left);
      break;
    case 'RestElement':
      yield* namesIn(pattern.argument);
      break;
    default:
  }
}

class Analysis {
  /** Functions and their scopes, in the order of the text. */
  functions = [];

  constructor(program) {
    this.top = new Scope(null, program);
    this.references = [];
    this.hoist(program.body, this.top, this.top);
    for (const statement of program.body) this.visit(statement, this.top);
    for (const { name, scope } of this.references) this.resolve(name, scope);
  }

  resolve(name, from) {
    for (let scope = from; scope; scope = scope.outer) {
      const variable = scope.variables.get(name);
      if (!variable) continue;
      if (scope.owner !== from.owner) variable.isCaptured = true;
      return;
    }
  }

  /** Declares what a list of statements does: `var`s in the scope of the function. */
  hoist(statements, scope, functionScope) {
    for (const statement of statements) {
      const node = statement.declaration ?? statement;
      switch (node.type) {
        case 'VariableDeclaration':
          if (node.kind === 'var') break;
          for (const { id } of node.declarations) for (const name of namesIn(id)) scope.declare(name, true);
          break;
        case 'ClassDeclaration':
          if (node.id) scope.declare(node.id.name, true);
          break;
        case 'FunctionDeclaration':
          if (node.id) scope.declare(node.id.name, false);
          break;
        case 'ImportDeclaration':
          for (const { local } of node.specifiers) scope.declare(local.name, true, false);
          break;
        default:
      }
    }
    if (scope === functionScope) this.hoistVars(statements, scope);
  }

  hoistVars(node, scope) {
    if (Array.isArray(node)) {
      for (const child of node) this.hoistVars(child, scope);
      return;
    }
    if (typeof node?.type !== 'string' || FUNCTION.test(node.type) || node.type.startsWith('Class')) return;
    if (node.type.endsWith('Expression') && node.type !== 'ExpressionStatement') return;
    if (node.type === 'VariableDeclaration' && node.kind === 'var') {
      for (const { id } of node.declarations) for (const name of namesIn(id)) scope.declare(name, false);
    }
    for (const key of ['body', 'consequent', 'alternate', 'block', 'handler', 'finalizer', 'init', 'left',
      'cases', 'declaration']) {
      if (node[key]) this.hoistVars(node[key], scope);
    }
  }

  visitFunction(node, outer) {
    const scope = new Scope(outer, node);
    this.functions.push({ node, scope });
    if (node.type === 'FunctionExpression' && node.id) scope.declare(node.id.name, false, false);
    for (const param of node.params) for (const name of namesIn(param)) scope.declare(name, true);
    // A parameter's default may run, and even close over it, before later ones are set.
    if (node.params.every(({ type }) => type === 'Identifier')) {
      for (const variable of scope.variables.values()) variable.mayBeUnset = false;
    }
    if (node.body.type === 'BlockStatement') this.hoist(node.body.body, scope, scope);
    for (const param of node.params) this.visit(param, scope);
    if (node.body.type === 'BlockStatement') for (const one of node.body.body) this.visit(one, scope);
    else this.visit(node.body, scope);
  }

  visit(node, scope) {
    if (typeof node?.type !== 'string') return;
    if (FUNCTION.test(node.type)) {
      this.visitFunction(node, scope);
      return;
    }
    switch (node.type) {
      case 'Identifier':
        this.references.push({ name: node.name, scope });
        return;
      case 'MemberExpression':
        this.visit(node.object, scope);
        if (node.computed) this.visit(node.property, scope);
        return;
      case 'Property':
      case 'MethodDefinition':
        if (node.computed) this.visit(node.key, scope);
        this.visit(node.value, scope);
        return;
      case 'PropertyDefinition':
        if (node.computed) this.visit(node.key, scope);
        // A function of its own, as the engine has it.
        if (node.value) this.visit(node.value, new Scope(scope, node));
        return;
      case 'StaticBlock': {
        const inner = new Scope(scope, node);
        this.hoist(node.body, inner, inner);
        for (const statement of node.body) this.visit(statement, inner);
        return;
      }
      case 'LabeledStatement':
        this.visit(node.body, scope);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'MetaProperty':
        return;
      case 'ExportNamedDeclaration':
        this.visit(node.declaration, scope);
        if (!node.source) {
          // Other modules may use them.
          const names = node.declaration?.declarations?.flatMap(({ id }) => [...namesIn(id)]) ??
            [node.declaration?.id?.name, ...node.specifiers.map(({ local }) => local.name)];
          for (const name of names) {
            const variable = scope.variables.get(name);
            if (variable) variable.isCaptured = true;
          }
        }
        return;
      default:
    }
    let inner = scope;
    switch (node.type) {
      case 'BlockStatement':
      case 'SwitchStatement':
        inner = new Scope(scope);
        this.hoist(node.body ?? node.cases.flatMap(({ consequent }) => consequent), inner);
        break;
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement': {
        inner = new Scope(scope);
        const head = node.init ?? node.left;
        if (head) this.hoist([head], inner);
        break;
      }
      case 'CatchClause':
        inner = new Scope(scope);
        for (const name of namesIn(node.param)) inner.declare(name, false);
        break;
      case 'ClassExpression':
      case 'ClassDeclaration':
        inner = new Scope(scope);
        if (node.id) inner.declare(node.id.name, true);
        break;
      default:
    }
    for (const [key, child] of Object.entries(node)) {
      if (key === 'id' && node.type.startsWith('Class')) continue;
      if (Array.isArray(child)) for (const one of child) this.visit(one, inner);
      else if (child && typeof child === 'object') this.visit(child, inner);
    }
  }
}

/** The thunk that reads variables; empty: there are none to read. */
function makeThunk(scope, names, { isCaptured = false, mayBeUnset = false, own = '' }) {
  let text = '';
  for (const [name, variable] of scope.variables) {
    if (!variable.isRead || (isCaptured && !variable.isCaptured)) continue;
    if (mayBeUnset && !variable.mayBeUnset) continue;
    text += variable.mayBeUnset ? `try{${names.read}(${name})}catch{}` : `${names.read}(${name});`;
  }
  return text && `${names.read}=>{${own}${text}}`;
}

/**
 * Takes what functions have to tell: weak references, for each of which there is room after those that are
 * gone have been forgotten, up to 32,768. Within one task none can go, so more would be a burden.
 */
const REGISTER = (hub, root) => `${hub}.w||(${hub}.w=f=>{try{` +
  `let l=${hub}.l||(${hub}.l={a:[],n:0,m:64,s:0});` + 'if(l.s>0)l.s--;else if(l.n<l.m)l.a[l.n++]=new(' + root + ').WeakRef(f);else{' +
  'let k=0,i=0;for(;i<l.n;i++)if(l.a[i].deref())l.a[k++]=l.a[i];' +
  'for(i=k;i<l.n;i++)l.a[i]=0;l.n=k;if(2*k>l.m)l.m<32768?l.m*=2:l.s=l.m}}catch{}return f});';

function chooseNames(code, suffix) {
  for (let i = 0; ; i++) {
    const names = { read: `$r${suffix}${i || ''}`, thunk: `$s${suffix}${i || ''}` };
    if (!code.includes(names.read) && !code.includes(names.thunk)) return names;
  }
}

/**
 * Puts declarations among the edits, each before what is at its place. `arrow`: where an arrow function whose
 * body is an expression starts, which becomes a block.
 */
function merge(edits, fronts) {
  const { offsets, items } = edits;
  edits.offsets = [];
  edits.items = [];
  const put = (offset, item) => {
    edits.offsets.push(offset);
    edits.items.push(item);
  };
  const last = new Map(); // functions that start at one offset: the innermost one is last
  items.forEach((item, i) => {
    if (item && typeof item === 'object') last.set(offsets[i], i);
  });
  const ends = new Map();
  const open = [];
  let next = 0;
  items.forEach((given, i) => {
    let item = given;
    for (; next < fronts.length && fronts[next].offset <= offsets[i]; next++) {
      const { offset, text, arrow } = fronts[next];
      if (arrow === undefined) put(offset, text);
      else if (offset === offsets[i] && typeof item === 'string' && item[0] === '{') {
        // Polls have made a block of the body already.
        put(offset, '{' + text);
        item = item.slice(1);
      } else {
        put(offset, `{${text}return(`);
        ends.set(arrow, ')}');
      }
    }
    if (item && typeof item === 'object') open.push(i);
    else if (typeof item !== 'string') {
      const start = open.pop();
      const text = last.get(offsets[start]) === start && ends.get(offsets[start]);
      if (text) put(offsets[i], text);
    }
    put(offsets[i], item);
  });
  for (; next < fronts.length; next++) put(fronts[next].offset, fronts[next].text);
}

/**
 * @param {string} code
 * @param {import('acorn').Program} program
 * @param {import('./edits.js').Edits} edits  gets what goes into functions
 * @param {{ hub: string, suffix: string, root: string, home: import('./prologue.js').Home,
 *   mayTravel: boolean, unpolled: Set<object> }} about  `hub`: its name in the code; `suffix`: of names that
 *   tell scripts apart; `root`: an expression for the global object
 * @returns {string} what follows the prologue
 */
export function addMemoryRoots(code, program, edits, { hub, suffix, root, home, mayTravel, unpolled }) {
  const { top, functions } = new Analysis(program);
  const names = chooseNames(code, suffix);
  const own = `${names.thunk};`;
  const fronts = [];
  const known = mayTravel ? `typeof ${hub}<"u"&&` : home === 'cycle' ? `${hub}&&` : '';
  for (const { node, scope } of functions) {
    const thunk = makeThunk(scope, names, { isCaptured: true, own });
    if (!thunk || unpolled.has(node.body)) continue;
    const text = `const ${names.thunk}=${known}${hub}.w&&${hub}.w(${thunk});`;
    const { body, params } = node;
    if (body.type === 'BlockStatement') {
      const count = countDirectives(body.body);
      if (body.body.slice(0, count).some(({ directive }) => directive === 'use asm')) continue;
      const offset = count > 0 ? body.body[count - 1].end : body.start + 1;
      fronts.push({ offset, text: (count > 0 && code[offset - 1] !== ';' ? ';' : '') + text });
    } else {
      const after = params.length > 0 ? params[params.length - 1].end : node.start;
      fronts.push({ offset: findInGap(code, after, '=>') + 2, text, arrow: node.start });
    }
  }
  fronts.sort((a, b) => a.offset - b.offset);
  merge(edits, fronts);
  // A classic script's variables are properties of the global, but for those of `let`, `const` and `class`.
  const thunk = home === 'block' ? '' : makeThunk(top, names, home === 'global' ?
    { mayBeUnset: true } : { isCaptured: true });
  return (fronts.length > 0 ? REGISTER(hub, root) : '') + (thunk && `${hub}.m={f:${thunk},n:${hub}.m};`);
}
