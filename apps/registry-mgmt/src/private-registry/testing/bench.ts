import { createHash } from 'node:crypto';
import { OFFERED } from '@windlass/driver-kit';
import {
  driverBench,
  hookContextOf,
  OfferedStandIns,
  packagesOf,
  validateRequestOf,
  vnfc,
  type CrashPoints,
} from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import type { HookContext, PackageFile, ValidateRequest, Vnfc } from '@windlass/mgmt-driver';
import { registryParts } from '../../service.js';
import { PARAM } from '../parameters.js';
import { RegistryVms } from './registry-vm.js';

export const PASSWORD = 'hunter2-of-the-registry';
export const IMAGE_PATH = 'Files/images/private_registry.tar';
/** The stand-in for an archive of `docker save`. */
export const ARCHIVE = Buffer.from('an archive of docker save');

export const archive: PackageFile = {
  path: IMAGE_PATH,
  size: ARCHIVE.length,
  sha256: createHash('sha256').update(ARCHIVE).digest('hex'),
  firstLine: '',
};

/** `additionalParams` with a login and more members. */
export const paramsOf = (more: JsonObject = {}): JsonObject => ({
  [PARAM]: { ssh_cp_name: 'CP1', ssh_username: 'ubuntu', ssh_password: PASSWORD, ...more },
});

/** The user of a closed registry. */
export const USER = 'puller';
export const USERS_PASSWORD = 'correct horse battery';
export const LOGIN = { registry_username: USER, registry_password: USERS_PASSWORD };

/** The sample's request, whose image is in the package. */
export const params = paramsOf({ image_path: IMAGE_PATH });

export const flavour: ValidateRequest['flavour'] = {
  id: 'simple',
  vdus: ['PrivateRegistryVDU'],
  cps: [{ id: 'CP1', vdu: 'PrivateRegistryVDU' }],
  aspects: [],
  mostVnfcs: { PrivateRegistryVDU: 1 },
};

export const requestOf = (more: Partial<ValidateRequest> = {}): ValidateRequest =>
  validateRequestOf({ flavour, files: [archive], requestParams: params, ...more });

/** The registry's VM. */
export const REGISTRY = vnfc('registry', 'CP1', '10.0.0.5', { vduId: 'PrivateRegistryVDU' });

/** The registry's VM with a volume for images. */
export const WITH_VOLUME: Vnfc = {
  ...REGISTRY,
  volumes: [{ name: 'PrivateRegistryData', resourceId: 'volume-1', device: '/dev/vdb' }],
};

export const hookOf = (more: Partial<HookContext> = {}): HookContext =>
  hookContextOf({ vnfcs: [REGISTRY], files: [archive], ...more });

/** A heal of the registry's VM, or of the whole instance. */
export const healOf = (more: Partial<NonNullable<HookContext['heal']>> = {}): NonNullable<HookContext['heal']> => ({
  vnfcIds: [REGISTRY.id],
  whole: false,
  recreates: false,
  cause: null,
  earlierResourceIds: { [REGISTRY.id]: 'server-gone' },
  ...more,
});

export interface RegistryBenchOptions extends CrashPoints {
  params?: JsonObject;
  /** The parameters of the hook's own request; the instantiation's unless given. */
  requestParams?: JsonObject;
  hook?: Partial<HookContext>;
  runsContainers?: boolean;
}

/** The driver, its plan for a hook, and fake VMs to run it on. */
export function bench(options: RegistryBenchOptions = {}) {
  const { params: given = params, requestParams = given, hook = {}, runsContainers = true, ...points } = options;
  const world = new RegistryVms(points, runsContainers);
  const offered = new OfferedStandIns(OFFERED);
  const made = driverBench({
    parts: registryParts,
    hook: hookOf(hook),
    params: given,
    requestParams,
    hosts: world.hosts,
    packages: packagesOf({ [IMAGE_PATH]: ARCHIVE }),
    others: offered.bound,
    ...points,
  });
  return { world, offered, vm: world.vm(REGISTRY.resourceId), ...made };
}
