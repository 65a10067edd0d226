import { VARIANTS, type ImageVariant } from '@windlass/lab/variants';
import { Command, Option } from 'commander';
import { dataDirOf, untilStopSignal, type Surroundings } from '@windlass/windlass/command-line';
import type { LabKubernetes } from '../lab/lab-kubernetes.js';
import { kubernetesOption } from './kubernetes-option.js';

/** `./windlass lab`. */
export function labCommand(where: Surroundings): Command {
  return new Command('lab')
    .description('start the lab alone: an OpenStack whose servers are machines in namespaces (root only)')
    .option('--data <dir>', 'where it is kept (default: ~/.cache/windlass/data)')
    .addOption(
      new Option(
        '--image <variant>',
        'what the first boot of images is like whose name does not end with one of these (docs/lab-hosts.md)',
      )
        .choices(VARIANTS)
        .default('plain'),
    )
    .addOption(kubernetesOption())
    .action(async ({ data, image, kubernetes }: { data?: string; image: ImageVariant; kubernetes: LabKubernetes }) => {
      const signals = untilStopSignal();
      const dataDir = dataDirOf(where, data);
      const { startLab } = await import('../lab/lab.js');
      const lab = await startLab({
        dataDir,
        cache: where.cache,
        image,
        kubernetes,
        say: (line) => void process.stderr.write(`${line}\n`),
      });
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
