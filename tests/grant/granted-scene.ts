import type { JsonObject } from '@windlass/foundation';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { createVnf, onboardZip, type System } from '../support/system.js';

/** The package's VNFD; and that of the same one with a template that takes a zone for its lone server. */
const VNFD = 'e5b8a1f0-3c52-4d0e-9d0a-6f1f0b8d2a41';
const ZONED_VNFD = 'e5b8a1f0-3c52-4d0e-9d0a-6f1f0b8d2a40';

/** The scaling package, with a rule that keeps the dbs apart; one template takes the granted zone of VDU1. */
const grantedPackage = (vnfdId: string): Buffer =>
  scalingPackage(
    vnfdId,
    (vnfd) =>
      withDriver(vnfdId, vnfd).replace(
        '    - aspects:',
        '    - apart: { type: tosca.policies.nfv.AntiAffinityRule, properties: { scope: nfvi_node }, targets: [ db ] }\n    - aspects:',
      ),
    (top) =>
      vnfdId === VNFD
        ? top
        : top.replace(
            '[ nfv, VDU, VDU1, image ] }\n',
            '[ nfv, VDU, VDU1, image ] }\n      availability_zone: { get_param: [ nfv, VDU, VDU1, locationConstraints ] }\n',
          ),
  );

/** The driver of the zoned one, at `scale_end`. */
export const ZONES_DRIVER = 'mgmt-drivers-zones';

const withDriver = (vnfdId: string, vnfd: string): string =>
  vnfdId === VNFD
    ? vnfd
    : vnfd.replace(
        '\n    VDU1:',
        `\n      interfaces:\n        Vnflcm:\n          scale_end: { implementation: ${ZONES_DRIVER} }\n    VDU1:`,
      );

/** Onboards it once, and creates an instance of it; its path. */
export async function newVnf({ api }: System, { zoned = false } = {}): Promise<string> {
  const vnfdId = zoned ? ZONED_VNFD : VNFD;
  const { data } = await api.get<JsonObject[]>('/vnfpkgm/v1/vnf_packages');
  if (!data.some((each) => each.vnfdId === vnfdId)) await onboardZip(api, grantedPackage(vnfdId));
  return createVnf(api, vnfdId);
}

export const newRequest = (): JsonObject => scalingRequest('net0');

/** What Heat was given for the instance's stack. */
export async function stackParametersOf({ emulator }: System, instancePath: string): Promise<JsonObject> {
  const { user, password, project } = emulator.tenant;
  const domain = { name: 'Default' };
  const login = await fetch(`${emulator.url}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: {
        identity: { methods: ['password'], password: { user: { name: user, password, domain } } },
        scope: { project: { name: project, domain } },
      },
    }),
  });
  const { token } = (await login.json()) as {
    token: { catalog: { type: string; endpoints: { interface: string; url: string }[] }[] };
  };
  const heat = token.catalog.find(({ type }) => type === 'orchestration')?.endpoints.find((face) => face.interface === 'public');
  const name = `vnf-${instancePath.split('/').at(-1) ?? ''}`;
  const answer = await fetch(`${heat?.url ?? ''}/stacks/${name}`, {
    headers: { 'x-auth-token': login.headers.get('x-subject-token') ?? '' },
  });
  const { stack } = (await answer.json()) as { stack: { parameters: { nfv: string } } };
  return JSON.parse(stack.parameters.nfv) as JsonObject;
}
