import { withSettings, type Surroundings } from '@windlass/windlass/command-line';
import { Command } from 'commander';
import { kubernetesOption } from './kubernetes-option.js';
import type { DemoOptions } from './run-demo.js';

/** `./windlass demo`. */
export function demoCommand(where: Surroundings): Command {
  return withSettings(new Command('demo'))
    .description('deploy a Kubernetes cluster (one master, two workers) on the lab in front of you, and take it away again')
    .option('--keep', 'wait for Ctrl-C before the cluster is terminated')
    .option('--ui', 'print the address of the dashboard, and keep everything until Ctrl-C, also where something fails')
    .addOption(kubernetesOption())
    .action(async (options: DemoOptions) => {
      const { demo } = await import('./run-demo.js');
      await demo(where, options);
    });
}
