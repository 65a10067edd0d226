import type { Surroundings } from '@windlass/windlass/command-line';
import type { UpProgram } from '@windlass/windlass/up';
import { join } from 'node:path';
import { LAB_KUBERNETES } from './lab/lab-kubernetes.js';

/** `up` as the workbench has it: with a lab, which is loaded where one is asked for. */
export const upWithLab = ({ home }: Surroundings): UpProgram => ({
  program: join(home, 'apps/workbench/dist/main.js'),
  bringLab: async (wish) => (await import('./lab/bring-lab.js')).bringLab(wish),
  labKubernetes: LAB_KUBERNETES,
});
