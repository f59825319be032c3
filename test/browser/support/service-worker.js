/** Registers a service worker from a page, and resolves when it is active; the page stays as it is. */
export const register = (page, address) => page.evaluate(async (url) => {
  const registration = await navigator.serviceWorker.register(url);
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  await new Promise((resolve) => {
    const look = () => worker.state === 'activated' && resolve();
    worker.onstatechange = look;
    look();
  });
}, address);
