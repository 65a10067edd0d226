import type { BroughtLab } from '@windlass/windlass';
import { startLab, type LabOptions, type RunningLab } from './lab.js';
import { registerLab } from './register-lab.js';

/** In the lab, nodes take Kubernetes packages from the lab's own repository, and its Heat needs no minute to say that a stack is absent. */
const LAB_ENVIRONMENT = { KUBERNETES_APT_URL: 'none', STACK_ABSENT_FOR: '2s' } as const;

/** The project of the static token, which is that of the lab's own tenant, too. */
const PROJECT = 'default';

/** What services are told of a lab. Tokens of its Keystone open the REST API: those of its tenant see what the static token sees. */
export const labEnvironment =
  (lab: Pick<RunningLab, 'keystoneUrl' | 'project' | 'vnfmPasswordFile' | 'emulator'>) =>
  (service: string): Record<string, string> => ({
    ...LAB_ENVIRONMENT,
    ...(service === 'lcm-api'
      ? {
          LCM_PROJECT: PROJECT,
          LCM_KEYSTONE_URL: lab.keystoneUrl,
          LCM_KEYSTONE_USER: lab.emulator.vnfm.user,
          LCM_KEYSTONE_PROJECT: lab.emulator.vnfm.project,
          LCM_KEYSTONE_PASSWORD_FILE: lab.vnfmPasswordFile,
          LCM_KEYSTONE_TENANTS: `${lab.emulator.projectId(lab.project)}=${PROJECT}`,
        }
      : {}),
  });

/** The lab of `up --lab`. */
export async function bringLab(options: LabOptions): Promise<BroughtLab> {
  const lab = await startLab(options);
  const { keystoneUrl, openrc, user, project, passwordFile, networkName, imageName } = lab;
  return {
    info: { keystoneUrl, openrc, user, project, passwordFile, networkName, imageName },
    environment: labEnvironment(lab),
    register: async (api, url) => {
      lab.emulator.registerVnfm(url);
      await registerLab(api, lab);
    },
    stop: () => lab.stop(),
  };
}
