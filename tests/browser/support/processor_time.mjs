// How long the page computes at a time. Processor time, so that what else the machine does hardly counts.

/** Shorter tasks, of which there are thousands, delay no key. */
const LEAST_MS = 1;

/**
 * Watches the window's main thread, which its webviews share, while something is done.
 * @param {import("playwright-core").Page} page
 * @param {() => Promise<void>} act
 * @returns {Promise<number[]>} processor time of each task of a millisecond or more, in milliseconds
 */
export async function taskTimes(page, act) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ["toplevel"] });
  let trace;
  try {
    await act();
  } finally {
    trace = await browser.stopTracing();
  }
  const threads = new Map();
  for (const { name, ph, pid, tid, tdur } of JSON.parse(trace.toString()).traceEvents) {
    if (name !== "ThreadControllerImpl::RunTask" || ph !== "X" || tid !== pid) continue; // not a process's main thread
    const times = threads.get(pid) ?? [];
    threads.set(pid, times);
    times.push((tdur ?? 0) / 1000);
  }
  const sum = (times) => times.reduce((all, time) => all + time, 0);
  return [...threads.values()]
    .toSorted((a, b) => sum(b) - sum(a))[0]
    .filter((ms) => ms >= LEAST_MS);
}
