/**
 * A script for pages, to be loaded before all others: `jump(ms)` moves all their clocks on, and what timers
 * have come due by that runs next; `jump(ms, true)` leaves timers to the time that really passes.
 */
export const CLOCK = `(() => {
  const { now } = Performance.prototype;
  const { now: today } = Date;
  const { setTimeout: set, clearTimeout: clear } = window;
  const timers = new Map();
  let offset = 0;
  Performance.prototype.now = function () { return now.call(this) + offset; };
  Date.now = () => today() + offset;
  window.setTimeout = (call, ms = 0, ...args) => {
    const timer = { due: performance.now() + ms, moved: 0, run() { timers.delete(id); call(...args); } };
    const id = set(timer.run, ms);
    timers.set(id, timer);
    return id;
  };
  window.clearTimeout = (id) => {
    clear(timers.get(id)?.moved);
    timers.delete(id);
    clear(id);
  };
  window.jump = (ms, leavesTimers) => {
    offset += ms;
    if (leavesTimers) return;
    for (const [id, timer] of timers) {
      if (timer.moved || timer.due > performance.now()) continue;
      clear(id);
      timer.moved = set(timer.run, 0);
    }
  };
})();`;
