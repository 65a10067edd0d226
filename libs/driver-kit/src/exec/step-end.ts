import { seconds, type Duration } from '@windlass/foundation';
import { LeaseEnded } from '@windlass/saga';
import type { DriverProcess } from './driver-process.js';

/** After a cancel or a stop: a worker waits ten seconds for what it told to end. */
const TERM_AFTER: Duration = seconds(4);
const KILL_AFTER: Duration = seconds(7);

/**
 * Ends a process when its run shall end. When somebody else may have the step by now, or its time is over, at once; when it was cancelled it is told,
 * then asked (SIGTERM), then ended (SIGKILL); when the service stops it is asked first.
 * @returns what stops listening
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
