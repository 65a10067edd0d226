import { inherited, type BroughtLab, type LabWish, type ShownSetting } from '@windlass/windlass';
import { LAB_KUBERNETES, startLab, type RunningLab } from './lab.js';
import { keepPort } from './lab-port.js';
import { instancesOn, LabMoved, registerLab } from './register-lab.js';

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
  (service: string, given: Readonly<Record<string, string>> = inherited()): Record<string, string> => ({
    ...LAB_ENVIRONMENT,
    ...kept(given),
    ...reachOf(lab.keystoneUrl, given),
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

/** What the lab has a word about, and an operator may have another. */
const kept = ({ STACK_ABSENT_FOR: absentFor }: Readonly<Record<string, string>>): Record<string, string> =>
  absentFor === undefined ? {} : { STACK_ABSENT_FOR: absentFor };

const joined = (...lists: (string | undefined)[]): string => lists.filter(Boolean).join(',');

/** Of this machine the lab's OpenStack alone, and what the operator allows beside. */
const reachOf = (keystoneUrl: string, { VIM_ALLOW: allowed }: Readonly<Record<string, string>>): Record<string, string> => ({
  VIM_ALLOW: joined(allowed, new URL(keystoneUrl).host),
});

/** The service that connects to subscribers and fetches packages. */
const LCM_API = 'lcm-api';

/** Who tries a lab has subscribers and packages on this machine, and nobody else reaches the lab's API. */
const LOOPBACK = { OUTBOUND_ALLOW: '127.0.0.0/8,::1', LCM_PACKAGE_HOSTS: 'localhost,127.0.0.1,::1' } as const;

/** What `up --lab` allows on loopback, beside what is given. */
export function loopbackFor(service: string, given: Readonly<Record<string, string>>): Record<string, string> {
  if (service !== LCM_API) return {};
  return Object.fromEntries(Object.entries(LOOPBACK).map(([name, value]) => [name, joined(given[name], value)]));
}

const shownLoopback = (): ShownSetting[] =>
  Object.entries(LOOPBACK).map(([name, value]) => ({
    name,
    value,
    default: '',
    from: 'the lab: subscribers and packages on this machine may be reached',
    services: [LCM_API],
  }));

/** A lab keeps its address and no machines. */
export const goneWithTheLab = (id: string): string =>
  `the machines of VNF instance ${id} went when the lab stopped, and the record has them still: ./windlass vnf terminate ${id}`;

/** The lab of `up --lab`. */
export async function bringLab({ kubernetes, ...wish }: LabWish): Promise<BroughtLab> {
  const known = LAB_KUBERNETES.find((one) => one === kubernetes);
  const lab = await startLab({ ...wish, ...(known === undefined ? {} : { kubernetes: known }) });
  const { keystoneUrl, openrc, user, project, passwordFile, networkName, imageName } = lab;
  return {
    info: { keystoneUrl, openrc, user, project, passwordFile, networkName, imageName },
    environment: (service, given) => ({ ...labEnvironment(lab)(service, given), ...loopbackFor(service, given) }),
    shown: shownLoopback(),
    register: async (api, url) => {
      lab.emulator.registerVnfm(url);
      const vimId = await registerLab(api, lab).catch(async (error: unknown) => {
        if (error instanceof LabMoved) await keepPort(wish.dataDir, error.port);
        throw error;
      });
      await keepPort(wish.dataDir, lab.emulator.port);
      for (const id of await instancesOn(api, vimId)) wish.say(goneWithTheLab(id));
    },
    stop: () => lab.stop(),
  };
}
