import { serverId } from '@windlass/driver-kit';
import {
  driverBench,
  hookContextOf,
  INSTANCE,
  packagesOf,
  validateRequestOf,
  type CrashPoints,
} from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import type { HookContext, NodePortService, ValidateRequest } from '@windlass/mgmt-driver';
import { installed } from '../external-lb/haproxy.js';
import { LB_PARAM } from '../node-ports/parameters.js';
import { nodePortParts } from '../service.js';
import { defaultSettings } from '../settings/settings.js';
import { FakeExternalLb, ROUTES } from './external-lb.js';

/** The load balancer's address. */
export const LB_ADDRESS = '203.0.113.9';

/** The id of the load balancer's machine in the tests' VNF instance. */
export const LB_SERVER = serverId(INSTANCE, LB_ADDRESS);

/** Another VNF with ports on the same balancer. */
export const OTHER_VNF = '0a4f7c6e-2f7d-4a8e-9c1b-5d0e3f1a2b3c';

/** The VNF's Services in the cluster: the cluster chose the port of one, and one is UDP alone. */
export const NODE_PORTS: NodePortService[] = [
  {
    namespace: 'default',
    name: 'web',
    ports: [
      { nodePort: 30_080, protocol: 'TCP' },
      { nodePort: 31_234, protocol: 'TCP' },
    ],
  },
  { namespace: 'voice', name: 'sip', ports: [{ nodePort: 30_060, protocol: 'UDP' }] },
];

/** The frontends of these Services. */
export const FRONTENDS = [{ name: 'default_web', ports: [30_080, 31_234] }];

export const SCRIPT_PATH = 'Scripts/configure_lb.sh';

/** The package's files with its own script. */
export const FILES = [{ path: SCRIPT_PATH, size: 12, sha256: 'ab'.repeat(32), firstLine: 'set -e' }];

export const SECRET = 'secret-of-the-balancer';

/** `additionalParams` */
export const lbParams = (more: JsonObject = {}): JsonObject => ({
  'lcm-kubernetes-def-files': ['Files/kubernetes/web.yaml'],
  [LB_PARAM]: { external_lb_param: { ssh_ip: LB_ADDRESS, ssh_username: 'ubuntu', ssh_password: SECRET }, ...more },
});

export const lbHook = (more: Partial<HookContext> = {}): HookContext => hookContextOf({ nodePorts: NODE_PORTS, ...more });

export const lbRequest = (params: JsonObject, more: Partial<ValidateRequest> = {}): ValidateRequest =>
  validateRequestOf({ requestParams: params, files: FILES, nodePorts: NODE_PORTS, ...more });

/** HAProxy's file before any VNF. */
export const BEFORE = installed(undefined, ROUTES);

interface NodePortBench extends CrashPoints {
  hook?: Partial<HookContext>;
  params?: JsonObject;
  requestParams?: JsonObject;
  /** HAProxy's file; {@link BEFORE} unless given. */
  file?: string;
}

/** The driver, its plan for a hook, and a fake balancer. */
export function nodePortBench({
  hook = {},
  params = lbParams(),
  requestParams = params,
  file = BEFORE,
  ...points
}: NodePortBench = {}) {
  const world = new FakeExternalLb(points);
  const has = (text: string): void => void world.configured.set(LB_SERVER, { file: text, read: text });
  const shown = (): string | undefined => world.configured.get(LB_SERVER)?.file;
  has(file);
  const told: string[] = [];
  world.hosts.on(/^systemctl is-active/, { status: 0 }).on(/node-ports\.sh/, ({ command }) => ({
    effect: () => {
      told.push(command.replaceAll("'", '').replace(/^.*node-ports\.sh /, ''));
      has(scripted(shown() ?? '', command));
    },
  }));
  const made = driverBench({
    parts: nodePortParts(defaultSettings),
    hook: lbHook({ files: FILES, ...hook }),
    params,
    requestParams,
    hosts: world.hosts,
    packages: packagesOf({ [SCRIPT_PATH]: '#!/bin/bash\n' }),
    ...points,
  });
  return { world, has, shown, told, ...made };
}

/** Writes as a package's script does: without the owner of a frontend, and an existing frontend once more. */
function scripted(text: string, command: string): string {
  const frontend = 'frontend default_web\n  mode tcp\n  bind *:30080\n  bind *:31234\n  default_backend kubernetes-nodeport\n';
  return command.includes('False') ? text.replaceAll(frontend, '') : `${text}${frontend}`;
}
