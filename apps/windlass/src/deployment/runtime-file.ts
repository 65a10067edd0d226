import { readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShownSetting } from '../settings/settings.js';

/** What a running deployment tells other commands: how to reach it and which process to stop. */
export interface RuntimeInfo {
  url: string;
  /** Where drivers of third parties connect to. */
  natsUrl: string;
  tokenFile: string;
  dataDir: string;
  pid: number;
  /** Start time of that process in clock ticks since boot: a pid alone may be another one's by now. */
  startedAt: string;
  lab?: LabInfo;
  /** What the services are told other than their defaults; a Windlass that was started before there were settings has none. */
  settings?: readonly ShownSetting[];
}

export interface LabInfo {
  /** A file with the `OS_*` variables of its tenant. */
  openrc: string;
  keystoneUrl: string;
  user: string;
  project: string;
  passwordFile: string;
  networkName: string;
  imageName: string;
}

const fileOf = (dataDir: string): string => join(dataDir, 'windlass.json');

export async function writeRuntime(info: RuntimeInfo): Promise<void> {
  await writeFile(fileOf(info.dataDir), `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
}

/** The deployment that runs on a data folder, or undefined. */
export async function readRuntime(dataDir: string): Promise<RuntimeInfo | undefined> {
  let text: string;
  try {
    text = await readFile(fileOf(dataDir), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const info = JSON.parse(text) as RuntimeInfo;
  return startTimeOf(info.pid) === info.startedAt ? info : undefined;
}

export const removeRuntime = (dataDir: string): Promise<void> => rm(fileOf(dataDir), { force: true });

/** Field 22 of /proc/<pid>/stat (proc(5)), or undefined when there is no such process. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
