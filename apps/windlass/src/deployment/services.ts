import type { NatsUser } from '@windlass/embedded';
import { userPermissions, type Part } from '@windlass/messaging';

/** A service of the all-in-one: where its program lies, what it may say and hear, and what it is told beside NATS. */
export interface DeployedService {
  name: string;
  parts: readonly Part[];
  /** It holds the master key and connects to PostgreSQL. */
  core: boolean;
}

/** What a service with management drivers does, ours or a third party's. */
export const driverParts = (service: string, drivers: readonly string[]): readonly Part[] => [
  { kind: 'worker', service },
  { kind: 'driver', drivers },
  { kind: 'asks', family: 'vim-claim' },
  { kind: 'asks', family: 'package' },
];

/** In the order of their start: who is asked before who asks. */
export const SERVICES: readonly DeployedService[] = [
  {
    name: 'saga-coordinator',
    core: true,
    parts: [{ kind: 'coordinator' }, { kind: 'worker', service: 'saga-coordinator' }, { kind: 'serves', family: 'grant' }],
  },
  {
    name: 'vim-registry',
    core: true,
    parts: [
      { kind: 'serves', family: 'vim' },
      { kind: 'serves', family: 'vim-claim' },
    ],
  },
  {
    name: 'lcm-api',
    core: true,
    parts: [
      { kind: 'asks', family: 'vim' },
      { kind: 'serves', family: 'package' },
      { kind: 'asks', family: 'user-data' },
      { kind: 'asks', family: 'grant' },
      { kind: 'asks-drivers' },
      { kind: 'rings' },
    ],
  },
  {
    name: 'infra-driver',
    core: false,
    parts: [
      { kind: 'worker', service: 'infra-driver' },
      { kind: 'asks', family: 'package' },
      { kind: 'serves', family: 'user-data' },
    ],
  },
  {
    name: 'k8s-mgmt',
    core: false,
    parts: driverParts('k8s-mgmt', ['mgmt-drivers-kubernetes', 'mgmt-drivers-kubespray', 'mgmt-drivers-cnf-nodeport']),
  },
  { name: 'storage-mgmt', core: false, parts: driverParts('storage-mgmt', ['windlass-storage']) },
  { name: 'registry-mgmt', core: false, parts: driverParts('registry-mgmt', ['mgmt-drivers-private-registry']) },
];

/** Whether it claims steps over NATS, with a key that the coordinators must know. The core services claim theirs without the message bus. */
export const isEnrolled = ({ core, parts }: DeployedService): boolean => !core && parts.some(({ kind }) => kind === 'worker');

/** One NATS user a service, limited to its subjects. */
export const natsUsersOf = (passwords: Readonly<Record<string, string>>): NatsUser[] =>
  SERVICES.map(({ name, parts }) => ({ name, password: passwords[name] ?? '', permissions: userPermissions(name, parts) }));
