/** Resolves at the first SIGINT or SIGTERM, and aborts its signal with it; a second one ends the process at once. */
export function untilToldToStop(): { told: Promise<void>; signal: AbortSignal; release: () => void } {
  const stop = new AbortController();
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (tell = resolve));
  const hear = (): void => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
    tell();
  };
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
  return {
    told,
    signal: stop.signal,
    release: () => {
      process.off('SIGINT', hear);
      process.off('SIGTERM', hear);
    },
  };
}
