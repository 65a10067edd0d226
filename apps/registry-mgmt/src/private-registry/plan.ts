import {
  packagePath,
  paramsSource,
  setUpStorage,
  sshLoginOf,
  type MachineInput,
  type PackageFileRef,
} from '@windlass/driver-kit';
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
import { installEngine, loadImage, runRegistry, verifyRegistry } from './contracts.js';
import { dataVolume } from './data-volume.js';
import { portOf, registryParams, type RegistryParams, type SecretParams } from './parameters.js';
import { isRegistry } from './registry-vms.js';
import { DATA } from './scripts.js';

const PARAMS = paramsSource<SecretParams>();

/** Nothing is undone on the VM: rolled back, an instantiation takes it away; after a heal there is no way back. */
const GOES_WITH_THE_VM = { undoable: false } as const;

/** What it notes becomes warnings of the operation. */
const TOLD = { contributes: true } as const;

/** A registry on each VM that has the CP; the package has one. */
export function instantiateEnd(hook: HookContext): Plan {
  return installed(hook, hook.vnfcs);
}

/** The same again on what came in the place of a VM. */
export function healEnd(hook: HookContext): Plan {
  const { whole = false, vnfcIds = [] } = hook.heal ?? {};
  return installed(
    hook,
    // The whole may have been made anew: then nobody has an id of before.
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
  const volume = dataVolume(vnfc);
  const storage = volume === undefined ? [] : [step(setUpStorage, { ...common, ...proxies(params), ...mounted(volume) }, TOLD)];
  const engine = step(installEngine, { ...common, ...proxies(params) });
  const kind = outputOf(engine, (of) => of.engine);
  const image = step(loadImage, { ...common, engine: kind, ...(archive === undefined ? {} : { archive }) });
  const registry = step(
    runRegistry,
    { ...common, engine: outputOf(engine), image: outputOf(image, (of) => of.image), port },
    TOLD,
  );
  return sequence(...storage, engine, image, registry, step(verifyRegistry, { ...common, engine: kind, port }));
}

/** The volume under the images; formatted only if it is empty, so that those of before a heal are there. Nobody else gets it. */
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
