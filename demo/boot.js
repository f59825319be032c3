/*
 * Loads the polyfill, before any other script of the page.
 *
 * A real page needs none of this: one line, `<script src="profilyfill.iife.js"></script>`, is all. The demo,
 * however, lets its visitor choose between the native Profiler and the polyfill, so the line has to depend
 * on `?impl=`. `document.write` from a blocking script is the one way to add another *blocking* script: what
 * it writes is parsed, loaded and run before the parser goes on, exactly as if the line stood in the
 * document. (Two documents, one a choice, would do without it, but would have to be kept alike by hand.)
 */
(function () {
  'use strict';

  const forced = new URLSearchParams(location.search).get('impl') === 'polyfill';

  // Once the polyfill is forced nobody can tell any more whether the page has a native Profiler, so that is
  // found out before; otherwise `profilyfill.installed` tells. It takes constructing one, since `typeof`
  // knows nothing: without the header Chromium has a Profiler that throws (and reports "Document policy
  // violation" to the console).
  let nativeWorks;
  if (forced) {
    try {
      new Profiler({ sampleInterval: 10, maxBufferSize: 1 }).stop().catch(function () {});
      nativeWorks = true;
    } catch (error) {
      nativeWorks = false;
    }
  }

  /** The state of the demo, for the viewer, which fills in the rest, and for whoever drives the page. */
  window.demo = { nativeWorks: nativeWorks, state: 'idle', run: undefined, error: undefined };
  document.write('<script src="profilyfill.iife.js"' + (forced ? ' data-force' : '') + '><\/script>');
})();
