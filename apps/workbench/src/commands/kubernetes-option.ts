import { Option } from 'commander';
import { LAB_KUBERNETES } from '../lab/lab-kubernetes.js';

/** What Kubernetes a lab has. */
export const kubernetesOption = (): Option =>
  new Option(
    '--kubernetes <which>',
    'what the lab installs on nodes: stand-ins that run no containers, or the real one, built or downloaded the first time (docs/lab-kubernetes.md)',
  )
    .choices(LAB_KUBERNETES)
    .default('stand-in');
