import { millis, type Duration } from '../duration.js';

export { evidence, Evidence } from './evidence.js';
export { endedWith, freePort, onFreePort } from './on-free-port.js';

/**
 * Processor time that this process has used since it started: what a computation costs, whatever else runs on the machine. Time on a clock
 * tells a slow computation from a busy machine no better than by chance.
 */
export function processorTime(): Duration {
  const { user, system } = process.cpuUsage();
  return millis((user + system) / 1_000);
}
