// Every function here that is called is slow in its own body: SPIN stands for a loop of some milliseconds.
// Each has one of its own, since native loses samples of functions that were optimised before.
function declaration() { SPIN }
declaration();
async function asyncDeclaration(a, b) { SPIN }
asyncDeclaration();
function* generator() { SPIN }
generator().next();
async function* asyncGenerator () { SPIN }
asyncGenerator().next();
(function () { SPIN })();
(function named () { SPIN })();
(function /* ( */ commented /* ( */ (a) { SPIN })();
(() => { SPIN })();
(async () => { SPIN })();
(a => { SPIN })();
(async a => { SPIN })();
const arrow = (a, b) => { SPIN }; arrow();
const asyncArrow = async (a, b) => { SPIN }; asyncArrow();
const functionExpression = function () { SPIN }; functionExpression();
const renamed = function inner() { SPIN }; renamed();
const parenthesised = (function () { SPIN }); parenthesised();
const sequenced = (0, function () { SPIN }); sequenced();
const conditional = true ? function () { SPIN } : 0; conditional();
let assigned; assigned = function () { SPIN }; assigned();
let assignedArrow; assignedArrow = () => { SPIN }; assignedArrow();
let assignedParenthesised; (assignedParenthesised) = () => { SPIN }; assignedParenthesised();
let logical; logical ??= () => { SPIN }; logical();
let or; or ||= function () { SPIN }; or();
let and = 1; and &&= function () { SPIN }; and();
const holder = {}; holder.member = function () { SPIN }; holder.member();
holder['computed'] = () => { SPIN }; holder.computed();
holder.a = holder.b = () => { SPIN }; holder.a();
const { destructured = () => { SPIN } } = {}; destructured();
const { from: target = function () { SPIN } } = {}; target();
const [element = () => { SPIN }] = []; element();
let again; ({ again = () => { SPIN } } = {}); again();
let other; ({ x: other = () => { SPIN } } = {}); other();
(function (parameter = () => { SPIN }) { parameter(); SPIN })();
for (const inFor = () => { SPIN }, i = [0]; i.length; i.pop()) inFor();
const key = 'run-time', symbol = Symbol('described');
const object = {
  property: function () { SPIN },
  arrowProperty: () => { SPIN },
  'string key': function () { SPIN },
  'a,b\\c': () => { SPIN },
  12: function () { SPIN },
  0x10: () => { SPIN },
  1e3: () => { SPIN },
  7n: () => { SPIN },
  [key]: function () { SPIN },
  ['literal']: function () { SPIN },
  [symbol]: () => { SPIN },
  parenthesised: (() => { SPIN }),
  method() { SPIN },
  async asyncMethod() { SPIN },
  *generatorMethod() { SPIN },
  async *asyncGeneratorMethod() { SPIN },
  'string method'() { SPIN },
  13() { SPIN },
  8n() { SPIN },
  [key + 1]() { SPIN },
  [Symbol.iterator]() { SPIN },
  get getter() { SPIN return 1; },
  set setter(value) { SPIN },
  get 'string getter'() { SPIN return 1; },
  get 14() { SPIN return 1; },
  get [key + 2]() { SPIN return 1; },
  get() { SPIN },
  static() { SPIN },
  async() { SPIN },
  withDefaults(a = () => { SPIN }) { a(); SPIN },
};
object.property(); object.arrowProperty(); object['string key'](); object['a,b\\c']();
object[12](); object[0x10](); object[1e3](); object[7n](); object[key](); object.literal(); object[symbol]();
object.parenthesised(); object.method(); object.asyncMethod(); object.generatorMethod().next();
object.asyncGeneratorMethod().next(); object['string method'](); object[13](); object[8n](); object[key + 1]();
object[Symbol.iterator](); object.getter; object.setter = 1; object['string getter']; object[14];
object[key + 2]; object.get(); object.static(); object.async(); object.withDefaults();
({ __proto__: function () { SPIN } }).__proto__();
({ __proto__() { SPIN } }).__proto__();
class Base {
  constructor() { SPIN }
  method() { SPIN }
  static staticMethod() { SPIN }
  async asyncMethod() { SPIN }
  *generatorMethod() { SPIN }
  get getter() { SPIN return 1; }
  set setter(value) { SPIN }
  static get staticGetter() { SPIN return 1; }
  #private() { SPIN }
  get #privateGetter() { SPIN return 1; }
  set #privateSetter(v) { SPIN }
  static #staticPrivate() { SPIN }
  callPrivate() { this.#private(); this.#privateGetter; this.#privateSetter = 1; SPIN }
  static callStaticPrivate() { Base.#staticPrivate(); SPIN }
  [key]() { SPIN }
  'string method'() { SPIN }
  15() { SPIN }
}
const base = new Base(); base.method(); Base.staticMethod(); base.asyncMethod(); base.generatorMethod().next();
base.getter; base.setter = 1; Base.staticGetter; base.callPrivate(); Base.callStaticPrivate(); base[key]();
base['string method'](); base[15]();
class Fields {
  plain = (() => { SPIN })();
  arrowField = () => { SPIN };
  functionField = function () { SPIN };
  static slow = (() => { SPIN })();
  static staticField = () => { SPIN };
  #privateField = () => { SPIN };
  'string field' = () => { SPIN };
  [key] = () => { SPIN };
  constructor() { SPIN }
  callPrivate() { this.#privateField(); SPIN }
}
const fields = new Fields(); fields.arrowField(); fields.functionField(); Fields.staticField();
fields.callPrivate(); fields['string field'](); fields[key]();
const ClassExpression = class { constructor() { SPIN } method() { SPIN } }; new ClassExpression().method();
const OtherName = class Inner { constructor() { SPIN } }; new OtherName();
new (class { constructor() { SPIN } })();
holder.Member = class { constructor() { SPIN } }; new holder.Member();
const inObject = { Key: class { constructor() { SPIN } }, [key]: class { constructor() { SPIN } } };
new inObject.Key(); new inObject[key]();
class Derived extends Base { constructor() { super(); SPIN } }
new Derived();
