// Being told to stop: by a signal, or because the npm that runs us is gone. A signal sent to npm alone
// reaches only the shell between it and us, so we look who our parent is.

const POLL_MS = 500;

const SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Calls `stop` when this process is told to stop.
 * @param {(reason: NodeJS.Signals) => void} stop
 * @returns {() => void} ends the watch
 */
export function onStop(stop) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) stop("SIGTERM");
  }, POLL_MS);
  // Watching is no reason to stay alive.
  watch.unref();
  for (const signal of SIGNALS) process.on(signal, stop);
  return () => {
    clearInterval(watch);
    for (const signal of SIGNALS) process.off(signal, stop);
  };
}
