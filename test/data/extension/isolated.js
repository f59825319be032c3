// A content script in a world of its own: it and the page share the document.
const script = document.createElement('script');
script.src = chrome.runtime.getURL('injected.js');
document.head.append(script);
document.addEventListener('ask', function viaIsolated() { document.dispatchEvent(new Event('work')); });
