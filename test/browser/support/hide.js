/** Hides a page until the returned function is called. */
export async function hide(browser, page) {
  if (browser.name === 'webkit') {
    await page.native.inWindow(page.handle, (command) => command('POST', '/window/minimize', {}));
    return () => page.native.inWindow(page.handle, (command) =>
      command('POST', '/window/rect', { x: 0, y: 0, width: 1280, height: 800 }));
  }
  const other = await browser.newPage();
  return () => other.close();
}
