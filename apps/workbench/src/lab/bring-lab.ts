import type { BroughtLab } from '@windlass/windlass';
import { startLab, type LabOptions } from './lab.js';
import { registerLab } from './register-lab.js';

/** In the lab, nodes take Kubernetes packages from the lab's own repository, and its Heat needs no minute to say that a stack is absent. */
export const LAB_ENVIRONMENT = { KUBERNETES_APT_URL: 'none', STACK_ABSENT_FOR: '2s' } as const;

/** The lab of `up --lab`. */
export async function bringLab(options: LabOptions): Promise<BroughtLab> {
  const lab = await startLab(options);
  const { keystoneUrl, user, project, passwordFile, networkName, imageName } = lab;
  return {
    info: { keystoneUrl, user, project, passwordFile, networkName, imageName },
    environment: LAB_ENVIRONMENT,
    register: async (api) => {
      await registerLab(api, lab);
    },
    stop: () => lab.stop(),
  };
}
