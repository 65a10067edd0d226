import { inherited, type BroughtLab, type LabWish } from '@windlass/windlass';
import { LAB_KUBERNETES, startLab, type RunningLab } from './lab.js';
import { registerLab } from './register-lab.js';

/** In the lab, nodes take Kubernetes packages from the lab's own repository, and its Heat needs no minute to say that a stack is absent. */
const LAB_ENVIRONMENT = { KUBERNETES_APT_URL: 'none', STACK_ABSENT_FOR: '2s' } as const;

/** The project of the static token, which is that of the lab's own tenant, too. */
const PROJECT = 'default';

/** What services are told of a lab. Tokens of its Keystone open the REST API: those of its tenant see what the static token sees. */
export const labEnvironment =
  (
    lab: Pick<RunningLab, 'keystoneUrl' | 'project' | 'vnfmPasswordFile' | 'emulator'> &
      Partial<Pick<RunningLab, 'kubernetesVersion'>>,
  ) =>
  (service: string): Record<string, string> => ({
    ...LAB_ENVIRONMENT,
    ...reachOf(lab.keystoneUrl),
    // The lab's repository has the versions that it has.
    ...(lab.kubernetesVersion === undefined ? {} : { KUBERNETES_VERSION: lab.kubernetesVersion }),
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

/** Of this machine the lab's OpenStack alone, and what the operator allows beside. */
const reachOf = (keystoneUrl: string): Record<string, string> => {
  const allowed = [inherited().VIM_ALLOW, new URL(keystoneUrl).host];
  return { VIM_ALLOW: allowed.filter(Boolean).join(',') };
};

/** The lab of `up --lab`. */
export async function bringLab({ kubernetes, ...wish }: LabWish): Promise<BroughtLab> {
  const known = LAB_KUBERNETES.find((one) => one === kubernetes);
  const lab = await startLab({ ...wish, ...(known === undefined ? {} : { kubernetes: known }) });
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
