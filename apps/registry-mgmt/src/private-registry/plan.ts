import {
  packagePath,
  paramsSource,
  requestParamsSource,
  setUpStorage,
  sshLoginOf,
  type MachineInput,
  type PackageFileRef,
} from '@windlass/driver-kit';
import { createHash } from 'node:crypto';
import { InvariantError } from '@windlass/foundation';
import { SOURCES, type HookContext, type Vnfc, type VnfcVolume } from '@windlass/mgmt-driver';
import {
  outputOf,
  parallel,
  sequence,
  source,
  sourced,
  stepOf,
  type ActionContract,
  type GivenInput,
  type Plan,
  type PlanNode,
} from '@windlass/saga';
import { installEngine } from './install-engine.action.js';
import { loadImage } from './load-image.action.js';
import { runRegistry } from './run-registry.action.js';
import { secureRegistry } from './secure-registry.action.js';
import type { RegistryAccess } from './step-inputs.js';
import { verifyRegistry } from './verify-registry.action.js';
import { dataVolume } from './data-volume.js';
import { accessParams, type AccessParams, portOf, registryParams, type RegistryParams, type SecretParams } from './parameters.js';
import { isRegistry } from './registry-vms.js';
import { DATA } from './scripts.js';

const PARAMS = paramsSource<SecretParams>();

/** The same where a pair of login or certificate is given, by the instantiation and by a heal. */
interface ClosedParams {
  private_registry_installation_param: Required<AccessParams>;
}
const INSTANTIATED = paramsSource<ClosedParams>();
const REQUESTED = requestParamsSource<ClosedParams>();

/** The steps have no undo on the VM: a roll-back of an instantiation deletes the VM, and after a heal no roll-back is possible. */
const GOES_WITH_THE_VM = { undoable: false } as const;

/** The step's notes become warnings of the operation. */
const TOLD = { contributes: true } as const;

/** A registry on each VM that has the CP; the package has one. */
export function instantiateEnd(hook: HookContext): Plan {
  return installed(hook, hook.vnfcs);
}

/** Installs the registry again on each replaced VM. */
export function healEnd(hook: HookContext): Plan {
  const { whole = false, vnfcIds = [] } = hook.heal ?? {};
  return installed(
    hook,
    // After a heal that recreates the whole, no VNFC has its earlier id.
    whole ? hook.vnfcs : hook.vnfcs.filter(({ id }) => vnfcIds.includes(id)),
  );
}

function installed(hook: HookContext, vnfcs: readonly Vnfc[]): Plan {
  const params = registryParams(hook.instantiateParams);
  const archive = archiveOf(hook, params);
  return { root: parallel(vnfcs.filter(isRegistry(params)).map((vnfc) => onVm(hook, params, vnfc, archive))) };
}

function onVm(hook: HookContext, params: RegistryParams, vnfc: Vnfc, archive: PackageFileRef | undefined): PlanNode {
  const common = { instance: hook.vnfInstanceId, machine: machine(params, vnfc) };
  const port = portOf(params);
  const { login, tls, access } = accessOf(hook, params);
  const { registry_cp_name: cp, registry_image: pulls } = params;
  const serves = { ...(cp === undefined ? {} : { cp }), access };
  const closing = { ...(login === undefined ? {} : { login }), ...(tls === undefined ? {} : { tls }) };
  const step = <Input, Output>(
    action: ActionContract<Input, Output>,
    input: GivenInput<NoInfer<Input>>,
    traits: { contributes?: true } = {},
  ) =>
    stepOf(action, {
      id: `${action.name}:${vnfc.id}`,
      target: vnfc.name,
      limits: [`host:${vnfc.resourceId}`],
      traits: { ...GOES_WITH_THE_VM, ...traits },
      input,
    });
  // A heal always secures the registry, and so removes a login that an earlier heal gave for itself alone: the VM may be the same.
  const secures = hook.hook === 'heal_end' || Object.keys(closing).length > 0;
  const secured = secures ? [step(secureRegistry, { ...common, ...closing })] : [];
  const volume = dataVolume(vnfc);
  const storage = volume === undefined ? [] : [step(setUpStorage, { ...common, ...proxies(params), ...mounted(volume) }, TOLD)];
  const engine = step(installEngine, { ...common, ...proxies(params) });
  const kind = outputOf(engine, (of) => of.engine);
  const image = step(loadImage, { ...common, engine: kind, ...pulled(archive, pulls) });
  const registry = step(
    runRegistry,
    { ...common, engine: outputOf(engine), image: outputOf(image, (of) => of.image), port, serves },
    TOLD,
  );
  const verified = { ...common, engine: kind, port, serves, ...(login === undefined ? {} : { login }) };
  return sequence(...secured, ...storage, engine, image, registry, step(verifyRegistry, verified));
}

const pulled = (archive: PackageFileRef | undefined, pulls: string | undefined) => ({
  ...(archive === undefined ? {} : { archive }),
  ...(pulls === undefined ? {} : { pulls }),
});

/** The registry's login and certificate. A heal's own count for that heal alone, in place of the instantiation's. */
function accessOf({ hook, requestParams }: HookContext, instantiated: RegistryParams) {
  const requested = hook === 'heal_end' ? accessParams(requestParams) : {};
  const [users, loginFrom] =
    requested.registry_username === undefined ? [instantiated, INSTANTIATED] : ([requested, REQUESTED] as const);
  const [tls, tlsFrom] =
    requested.tls_certificate === undefined ? [instantiated, INSTANTIATED] : ([requested, REQUESTED] as const);
  const { registry_username: username } = users;
  const { tls_certificate: certificate } = tls;
  const access: RegistryAccess = {
    login: username !== undefined,
    ...(certificate === undefined ? {} : { certificate: createHash('sha256').update(certificate).digest('hex') }),
  };
  return {
    access,
    login:
      username === undefined
        ? undefined
        : { username, password: sourced(loginFrom, ({ private_registry_installation_param: of }) => of.registry_password) },
    tls:
      certificate === undefined
        ? undefined
        : {
            certificate: sourced(tlsFrom, ({ private_registry_installation_param: of }) => of.tls_certificate),
            key: sourced(tlsFrom, ({ private_registry_installation_param: of }) => of.tls_key),
          },
  };
}

/** The volume under the images. It is formatted only if it is empty, so that images survive a heal. It is exported to nobody. */
const mounted = ({ resourceId: volumeId, device }: VnfcVolume) => ({
  volumes: [{ volumeId, device, mountTo: DATA }],
  exports: [],
});

/** What the package has at `image_path`; the request was held against it. */
function archiveOf({ vnfPkgId, files }: HookContext, { image_path: path }: RegistryParams): PackageFileRef | undefined {
  if (path === undefined) return undefined;
  const file = files.find((each) => each.path === packagePath(path));
  if (file === undefined) throw new InvariantError(`the package has no file ${path}, and the request was accepted with it`);
  return { vnfPkgId, path: file.path, size: file.size, sha256: file.sha256 };
}

const proxies = ({ proxy }: RegistryParams) =>
  proxy === undefined ? {} : { proxy: sourced(PARAMS, ({ private_registry_installation_param: of }) => of.proxy) };

/** Address and login are put in when the step is claimed: the plan holds no secret. */
const machine = (shown: RegistryParams, { id, name }: Vnfc): GivenInput<MachineInput> => ({
  name,
  sshCp: shown.ssh_cp_name,
  vnfc: sourced(source<Vnfc>(SOURCES.vnfc(id))),
  ...sshLoginOf(PARAMS, ({ private_registry_installation_param: of }) => of, shown),
});
