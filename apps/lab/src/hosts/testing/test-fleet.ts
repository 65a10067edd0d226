import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { evidence } from '@windlass/foundation/testing';
import type { MachineSpec } from '../../machine-fleet.js';
import { sharedCache } from '../../debian/config.js';
import { HostFleet, type HostFleetOptions } from '../host-fleet.js';
import { installHostPackages } from '../host-packages.js';

/** The cache of the machine's user: only the first run builds the root file system. */
export const CACHE = sharedCache();

export interface TestFleet {
  fleet: HostFleet;
  dataDir: string;
  lines: string[];
  /** Stops the fleet and removes its data folder. */
  end: () => Promise<void>;
}

/** Starts a fleet with its own data folder. */
export async function startTestFleet(options: Partial<HostFleetOptions> = {}): Promise<TestFleet> {
  const dataDir = evidence.folder(options.dataDir ?? (await mkdtemp(path.join(os.tmpdir(), 'windlass-hosts-'))));
  const lines: string[] = [];
  const log = (line: string) => {
    lines.push(line);
    process.stderr.write(`${line}\n`);
  };
  await installHostPackages(log);
  const fleet = await HostFleet.start({ dataDir, cacheDir: CACHE, log, standins: [], ...options }).catch(
    async (error: unknown) => {
      await evidence.setAside(dataDir);
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true });
      throw error;
    },
  );
  const end = async () => {
    await fleet.stop();
    await rm(dataDir, { recursive: true });
  };
  return { fleet, dataDir, lines, end };
}

/** The specification of a fleet's nth machine, which has the network's nth address. */
export function machineSpec(fleet: HostFleet, n: number, overrides: Partial<MachineSpec> = {}): MachineSpec {
  const address = fleet.network.firstAddress.replace(/\d+$/, String(10 + n));
  return {
    serverId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    name: `vm-${n}`,
    imageName: 'debian-12',
    nics: [{ mac: `fa:16:3e:00:00:${(10 + n).toString(16).padStart(2, '0')}`, address, prefixLength: 24, allowedAddresses: [] }],
    volumes: [],
    ...overrides,
  };
}
