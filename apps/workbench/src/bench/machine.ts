import { cpus, loadavg, release, totalmem } from 'node:os';

/** What the figures were measured on; they mean little without it. */
export interface Machine {
  cores: number;
  processor: string;
  memoryMiB: number;
  kernel: string;
  node: string;
  /** Load average of the last minute before the measurement: above the cores, others were busy too. */
  loadBefore: number;
}

export const machine = (): Machine => ({
  cores: cpus().length,
  processor: cpus()[0]?.model ?? 'unknown',
  memoryMiB: Math.round(totalmem() / 2 ** 20),
  kernel: release(),
  node: process.version,
  loadBefore: loadavg()[0] ?? 0,
});
