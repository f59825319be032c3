// Functions that no one wrote: default constructors, and the initialisers of fields. `spin` stands for a call
// of an arrow function of its own that is slow.
class Fields {
  first = spin;
  second =
    spin;
  arrow = () => spin;
  static one = spin;
  #private = spin;
  static { spin; }
  static two = spin;
  [spin] = spin;
  static [spin] = spin;
  constructor() { spin; }
}
new Fields().arrow();
class Default { x = spin; }
new Default();
class DerivedDefault extends Default { y = 1; z = spin; }
new DerivedDefault();
class Base1 { constructor() { spin; } }
class Derived1 extends Base1 {}
new Derived1();
class Base2 { constructor() { spin; } }
class Derived2 extends (spin, Base2) {}
new Derived2();
class Base3 { constructor() { spin; } }
const derived3 = class Inner extends Base3 {};
new derived3();
class Base4 { constructor() { spin; } }
const derived4 = class extends Base4 {};
new derived4();
class Base5 { constructor() { spin; } }
new (class extends Base5 {})();
const Named = class { static { spin; } a = spin; };
new Named();
new (class { b = spin; })();
const { Late = class { static late = spin; c = spin; } } = {};
new Late();
class OnlyStatic { constructor() { spin; } static a = 1; static { spin; } static { let b = spin; void b; } }
new OnlyStatic();
class Nested { f = { g: () => spin, h: function () { spin; } }; i = (() => { spin; })(); }
const { f } = new Nested();
f.g(); f.h();
function returnsClass() { spin; return class { c = spin; }; }
new (returnsClass())();
class FieldsNamedLikeKeywords { constructor() { spin; } static accessor; static async *gen() { spin; } static get = spin; static set
  = spin; }
FieldsNamedLikeKeywords.gen().next(); void new FieldsNamedLikeKeywords();
class NoValueFirst { x; y; z = spin; }
new NoValueFirst();
class KeyedFirst { static [spin]; [spin]; z = spin; static z = spin; }
new KeyedFirst();
