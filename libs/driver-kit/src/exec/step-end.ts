import { seconds, type Duration } from '@windlass/foundation';
import { LeaseEnded } from '@windlass/saga';
import type { DriverProcess } from './driver-process.js';

/** After a cancel or a stop: a worker waits ten seconds for what it told to end. */
const TERM_AFTER: Duration = seconds(4);
const KILL_AFTER: Duration = seconds(7);

/**
 * Ends a process with its run. Where another worker may have the step by now, or the time is over, the process is killed at once. After a cancel the
 * process is told, then gets SIGTERM, then SIGKILL. When the service stops it gets SIGTERM first.
 * @returns a function that stops listening
 */
export function endWith(process: DriverProcess, signal: AbortSignal): () => void {
  const timers: NodeJS.Timeout[] = [];
  const later = (after: Duration, name: NodeJS.Signals): void => void timers.push(setTimeout(() => process.signal(name), after));
  const end = (): void => {
    const reason: unknown = signal.reason;
    const why = reason instanceof LeaseEnded ? reason.stopReason : 'lease-lost';
    if (why === 'lease-lost') {
      process.signal('SIGKILL');
      return;
    }
    if (why === 'cancelled') {
      process.send({ tell: 'cancel' });
      later(TERM_AFTER, 'SIGTERM');
    } else process.signal('SIGTERM');
    process.endInput();
    later(KILL_AFTER, 'SIGKILL');
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return () => {
    signal.removeEventListener('abort', end);
    timers.forEach(clearTimeout);
  };
}
