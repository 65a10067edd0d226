import { Command } from 'commander';
import { dataDirOf, untilStopSignal, type Surroundings } from '@windlass/windlass';
import { startLab } from '../lab/lab.js';

/** `./windlass lab`. */
export function labCommand(where: Surroundings): Command {
  return new Command('lab')
    .description('start the lab alone: an OpenStack whose servers are machines in namespaces (root only)')
    .option('--data <dir>', 'where it is kept (default: ~/.cache/windlass/data)')
    .action(async ({ data }: { data?: string }) => {
      const signals = untilStopSignal();
      const dataDir = dataDirOf(where, data);
      const lab = await startLab({ dataDir, cache: where.cache, say: (line) => void process.stderr.write(`${line}\n`) });
      try {
        process.stdout.write(
          `Keystone: ${lab.keystoneUrl}\nuser ${lab.user}, project ${lab.project}, password in ${lab.passwordFile}\nfor OpenStack's clients: . ${lab.openrc}\nnetwork ${lab.networkName}, image ${lab.imageName}\nCtrl-C stops it.\n`,
        );
        await signals.stopSignalled;
      } finally {
        await lab.stop();
      }
    });
}
