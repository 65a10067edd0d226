import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { MachineSpec } from '../../machine-park.js';
import { HostPark, type HostParkOptions } from '../host-park.js';
import { installHostPackages } from '../host-packages.js';

/** The cache of the machine's user, so that only the first run ever builds the root. */
export const CACHE = path.join(os.homedir(), '.cache/windlass/lab');

export interface TestPark {
  park: HostPark;
  dataDir: string;
  lines: string[];
  /** Stops the park and removes its data folder. */
  end: () => Promise<void>;
}

/** A park with a data folder of its own. */
export async function startTestPark(options: Partial<HostParkOptions> = {}): Promise<TestPark> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(os.tmpdir(), 'windlass-hosts-')));
  const lines: string[] = [];
  const log = (line: string) => {
    lines.push(line);
    process.stderr.write(`${line}\n`);
  };
  await installHostPackages(log);
  const park = await HostPark.start({ dataDir, cacheDir: CACHE, log, standins: [], ...options }).catch(async (error: unknown) => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true });
    throw error;
  });
  const end = async () => {
    await park.stop();
    await rm(dataDir, { recursive: true });
  };
  return { park, dataDir, lines, end };
}

/** The nth machine of a park: its address is the nth of the network. */
export function machineSpec(park: HostPark, n: number, overrides: Partial<MachineSpec> = {}): MachineSpec {
  const address = park.network.firstAddress.replace(/\d+$/, String(10 + n));
  return {
    serverId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    name: `vm-${n}`,
    imageName: 'debian-12',
    nics: [{ mac: `fa:16:3e:00:00:${(10 + n).toString(16).padStart(2, '0')}`, address, prefixLength: 24, allowedAddresses: [] }],
    volumes: [],
    ...overrides,
  };
}
