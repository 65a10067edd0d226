import { installHostPackages, OpenStackEmulator, HostPark, standinPackages } from '@windlass/lab';
import { join } from 'node:path';
import { secretIn } from '../deployment/secrets-file.js';
import { randomBytes } from 'node:crypto';

/** A lab that runs: an OpenStack and the machines that its servers are. */
export interface RunningLab {
  keystoneUrl: string;
  user: string;
  project: string;
  password: string;
  passwordFile: string;
  networkName: string;
  imageName: string;
  emulator: OpenStackEmulator;
  park: HostPark;
  stop(): Promise<void>;
}

/** Starts the lab in a data folder; what a killed one left there is swept first. */
export async function startLab(options: { dataDir: string; cache: string; say: (line: string) => void }): Promise<RunningLab> {
  const { dataDir, cache, say } = options;
  await installHostPackages(say);
  const park = await HostPark.start({
    dataDir: join(dataDir, 'lab'),
    cacheDir: join(cache, 'lab'),
    log: say,
    standins: await standinPackages(),
  });
  try {
    const passwordFile = join(dataDir, 'secrets', 'openstack-password');
    const password = await secretIn(passwordFile, () => randomBytes(18).toString('base64url'));
    const emulator = await OpenStackEmulator.start({
      network: park.network,
      park,
      speed: 'instant',
      password,
      images: ['ubuntu-22.04-server-cloudimg-amd64'],
    });
    return {
      keystoneUrl: emulator.url,
      user: emulator.tenant.user,
      project: emulator.tenant.project,
      password,
      passwordFile,
      networkName: 'net0',
      imageName: 'ubuntu-22.04-server-cloudimg-amd64',
      emulator,
      park,
      stop: async () => {
        await emulator.stop();
        await park.stop();
      },
    };
  } catch (error) {
    await park.stop();
    throw error;
  }
}
