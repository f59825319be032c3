// Instead of `profilyfill/auto` where the polyfill is loaded by a script tag.
