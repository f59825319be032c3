// A script that the content script puts into the page.
window.viaInjected = function viaInjected(work) { return work() + 1; };
