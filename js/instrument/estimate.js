/**
 * Estimates how long functions run, from their text, while the file is parsed. The walker places polls by
 * them (js/instrument/walk.js): a call of a function that has no polls of its own is time of the caller, and
 * a call of one that has them ends with a poll. Calls are matched with functions by name alone, so
 * functions of one name share an estimate. A wrong one costs speed or sharpness, never correctness.
 */
import { BUILT_IN, timeByName, timeOfNode } from './cost.js';

const ROUNDS = 3;

// ns: what is left of a call whose callee has polls.
const REST = 4;

class Estimate {
  /** ns */
  time = 0;

  /** Without what it calls by name. */
  own = 0;

  /** Calls; later the names of those whose function is in the file. */
  calls = [];

  /** Whether it has polls of its own. */
  hasPolls = false;

  /** Too short in text to have polls, however long it takes. */
  isSmall = false;
}

/** A constructor that nobody has written calls that of the superclass. */
function makeDefault({ superClass }) {
  const estimate = new Estimate();
  if (superClass) estimate.calls.push({ callee: { type: 'Super' } });
  return estimate;
}

/** The name by which a call finds its function; null: there is none. */
function nameOfCallee({ type, computed, name, property }) {
  if (type === 'Identifier') return name;
  return type === 'MemberExpression' && !computed ? property.name : null;
}

export class Estimates {
  #open = [new Estimate()];

  /** Function nodes, and classes for their constructors. */
  #ofNode = new Map();

  #byName = new Map();

  /** What #find() has found in this round: a name may have thousands of functions and calls. */
  #found = new Map();

  /** Names of what is passed to functions. */
  #passed = new Set();

  #closed = null;

  #enough = 0;

  /** A function begins, one ends. */
  enter() {
    this.#open.push(new Estimate());
  }

  leave() {
    if (this.#open.length > 1) this.#closed = this.#open.pop();
  }

  /** Every node of the tree, after those within it. */
  add(node) {
    const current = this.#open[this.#open.length - 1];
    const { type } = node;
    current.time += timeOfNode(node);
    switch (type) {
      case 'CallExpression':
      case 'NewExpression':
        current.calls.push(node);
        for (const argument of node.arguments) {
          if (argument.type === 'Identifier') this.#passed.add(argument.name);
          else if (this.#ofNode.has(argument)) this.#ofNode.get(argument).repeats = true;
        }
        break;
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'AwaitExpression':
      case 'YieldExpression':
        current.hasPolls = true;
        break;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        this.#ofNode.set(node, this.#closed);
        if (node.id) this.#name(node.id.name, node);
        break;
      case 'ClassDeclaration':
      case 'ClassExpression': {
        const found = node.body.body.find(({ kind }) => kind === 'constructor');
        this.#ofNode.set(node, found ? this.#ofNode.get(found.value) : makeDefault(node));
        if (node.id) this.#name(node.id.name, node);
        break;
      }
      case 'VariableDeclarator':
        this.#nameBy(node.id, node.init);
        break;
      case 'AssignmentExpression':
        this.#nameBy(node.left, node.right);
        break;
      case 'Property':
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (!node.computed && node.kind !== 'constructor') this.#nameBy(node.key, node.value);
        break;
      default:
    }
  }

  #nameBy(target, value) {
    if (value === null || !this.#ofNode.has(value)) return;
    if (target.type === 'Identifier' || target.type === 'PrivateIdentifier') this.#name(target.name, value);
    else if (target.type === 'MemberExpression' && !target.computed) this.#name(target.property.name, value);
  }

  #name(name, node) {
    const estimates = this.#byName.get(name);
    if (estimates === undefined) this.#byName.set(name, [this.#ofNode.get(node)]);
    else estimates.push(this.#ofNode.get(node));
  }

  /**
   * Call once, when all nodes have been added.
   *
   * @param {Set<string>} declared  every name that is declared anywhere in the file
   * @param {number} enough  ns: a function of this length has polls
   * @param {number} minFunctionSize  characters: a shorter one has none
   */
  finish(declared, enough, minFunctionSize) {
    this.#enough = enough;
    for (const [node, estimate] of this.#ofNode) {
      if (node.end - node.start >= minFunctionSize) continue;
      estimate.isSmall = true;
      if (estimate.hasPolls) estimate.time += enough;
      estimate.hasPolls = false;
    }
    const all = new Set(this.#ofNode.values());
    for (const estimate of all) {
      const calls = [];
      for (const node of estimate.calls) {
        const name = nameOfCallee(node.callee);
        if (this.#byName.has(name)) calls.push(name);
        else estimate.time += timeByName(node, declared);
      }
      estimate.own = estimate.time;
      estimate.calls = calls;
    }
    for (const name of this.#passed) {
      for (const estimate of this.#byName.get(name) ?? []) estimate.repeats = true;
    }
    this.#findCycles(all);
    for (let round = 0; round < ROUNDS; round++) {
      this.#found.clear();
      for (const estimate of all) {
        if (estimate.hasPolls) continue;
        estimate.time = estimate.own;
        for (const name of estimate.calls) {
          const { time, hasPolls } = this.#find(name);
          estimate.time += hasPolls ? REST : time;
        }
        if (estimate.time >= enough && !estimate.isSmall) estimate.hasPolls = true;
      }
    }
    this.#found.clear();
  }

  /** Marks what calls itself, at whatever remove: Tarjan's strongly connected components. */
  #findCycles(all) {
    const order = new Map(); // by node, a function's estimate or a name: when it was reached
    const low = new Map(); // the first on `open` that is reached from there
    const open = [];
    const isOpen = new Set();
    const targets = (node) => (typeof node === 'string' ? this.#byName.get(node) : node.calls);
    for (const root of all) {
      if (order.has(root)) continue;
      // No recursion: call chains can be longer than a stack is deep.
      const path = [];
      const enter = (node) => {
        order.set(node, order.size);
        low.set(node, order.get(node));
        open.push(node);
        isOpen.add(node);
        path.push({ node, next: 0 });
      };
      enter(root);
      while (path.length > 0) {
        const top = path[path.length - 1];
        const { node } = top;
        const list = targets(node);
        if (top.next < list.length) {
          const target = list[top.next++];
          if (!order.has(target)) enter(target);
          else if (isOpen.has(target)) low.set(node, Math.min(low.get(node), order.get(target)));
          continue;
        }
        path.pop();
        if (path.length > 0) {
          const above = path[path.length - 1].node;
          low.set(above, Math.min(low.get(above), low.get(node)));
        }
        if (low.get(node) < order.get(node)) continue;
        const component = open.splice(open.lastIndexOf(node));
        for (const one of component) {
          isOpen.delete(one);
          if (component.length > 1 && typeof one !== 'string') one.repeats = true;
        }
      }
    }
  }

  /** Whether a function may run again and again with no loop of this file around it. */
  repeats(node) {
    return this.#ofNode.get(node)?.repeats ?? false;
  }

  #find(name) {
    let found = this.#found.get(name);
    if (found !== undefined) return found;
    const estimates = this.#byName.get(name);
    let time = 0;
    let hasPolls = true;
    for (const estimate of estimates) {
      hasPolls &&= estimate.hasPolls;
      time = Math.max(time, Math.min(estimate.time, this.#enough));
    }
    found = { time, hasPolls };
    this.#found.set(name, found);
    return found;
  }

  /**
   * How much a call adds to its caller's segment, in ns. A function with polls of its own most often ends
   * with one, but may have ways on which it does not.
   */
  timeOfCall(node, declared) {
    const { callee } = node;
    const name = nameOfCallee(callee);
    if (!this.#byName.has(name)) return timeByName(node, declared);
    const { time, hasPolls } = this.#find(name);
    const own = hasPolls ? REST : time;
    // A method of this name may as well be one that the language brings along.
    const isBuiltIn = callee.type === 'MemberExpression' && BUILT_IN.has(name);
    return isBuiltIn ? Math.max(own, timeByName(node, declared)) : own;
  }
}
