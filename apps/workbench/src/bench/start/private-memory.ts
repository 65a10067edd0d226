import { readFileSync } from 'node:fs';
import { rounded } from '../figures.js';

/** Memory of a process, in MiB. */
export interface Memory {
  /** What would be free if this process alone ended: Private_Clean, Private_Dirty and Swap of smaps_rollup (proc(5)). */
  private: number;
  /** Rss: with what it shares with the others, which is mostly Node.js itself. */
  resident: number;
}

/** @param text of `/proc/<pid>/smaps_rollup` */
export function memoryIn(text: string): Memory {
  const kibibytes = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
  return {
    private: rounded((kibibytes('Private_Clean') + kibibytes('Private_Dirty') + kibibytes('Swap')) / 1_024),
    resident: rounded(kibibytes('Rss') / 1_024),
  };
}

/** Of a process that runs. */
export const memoryOf = (pid: number): Memory => memoryIn(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
