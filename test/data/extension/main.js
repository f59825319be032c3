// A content script in the page's own world.
window.viaMain = function viaMain(work) { return work() + 1; };
