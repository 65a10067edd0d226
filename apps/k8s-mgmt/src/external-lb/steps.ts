import {
  loginAddress,
  packagePath,
  paramsAs,
  paramsSource,
  requestParamsSource,
  sshLoginOf,
  type MachineInput,
  type MasterInput,
} from '@windlass/driver-kit';
import { TerminalError, type JsonObject } from '@windlass/foundation';
import { SOURCES, type HookContext, type RequestedInstance, type Vnfc } from '@windlass/mgmt-driver';
import {
  source,
  sourced,
  stepOf,
  type ActionContract,
  type Given,
  type GivenInput,
  type PlanNode,
  type Source,
  type StepTraits,
} from '@windlass/saga';
import { PARAM } from '../parameters/of-clusters.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import type { ExternalLbInput } from './external-lb-input.js';
import { EXTERNAL_LB_PORT } from './haproxy.js';
import { installExternalLb } from './install-external-lb.action.js';
import { movedFrom, registeredAddress } from './moved.js';
import { noteExposedPorts } from './note-exposed-ports.action.js';
import { EXTERNAL_LB, externalLbParams, externalLbScript, type ExternalLbParams, type WithExternalLb } from './parameters.js';
import { restoreNodePorts } from './restore-node-ports.action.js';
import { routeExternalLb } from './route-external-lb.action.js';
import { runExternalLbScript } from './run-external-lb-script.action.js';
import { verifyExternalLb } from './verify-external-lb.action.js';

const PARAMS = paramsSource<WithExternalLb>();
const REQUESTED = requestParamsSource<WithExternalLb>();

/** The steps have no undo: a roll-back of an instantiation deletes the VM, and after a replacement no roll-back is possible. */
const GOES_WITH_THE_VM: StepTraits = { undoable: false };

/** A node to which the balancer passes on: its name in the cluster, and its address there. */
export interface LbNode {
  name: Given<string>;
  address: string;
}

/** The nodes that the cluster is to have. */
export interface LbNodes {
  masters: readonly LbNode[];
  workers: readonly LbNode[];
}

/** The steps of a cluster's external load balancer; no steps where the parameters name no load balancer. */
export interface ExternalLbSteps {
  /** The address at which clients reach the cluster's API through the load balancer; undefined without a load balancer. The API server's certificate must hold all `names`. */
  endpoint: { address: string; port: number; names: string[] } | undefined;
  /** Whether the operation replaces the load balancer's VM. */
  healed: boolean;
  /** Why the load balancer can't be healed: its address is not the one at which the cluster is registered. */
  moved: string | undefined;
  /** Installs the load balancer with all its routes, by our actions or by the package's script. The masters' API servers may be absent still. */
  installed: (nodes: LbNodes) => PlanNode[];
  /** Routes the Services' ports to `nodes`, where the load balancer exists and is not replaced. The undo routes them to `before`. */
  routed: (nodes: LbNodes, before?: LbNodes) => PlanNode[];
  /** Records in the cluster which of its ports are open on the load balancer. Where the load balancer of a running cluster is replaced, `heal_start` does so as far as the load balancer answers. */
  noted: (masters: readonly GivenInput<MasterInput>[]) => PlanNode[];
  /** Opens the previously open ports again, and no others, after {@link installed} on a replaced VM of a running cluster. */
  restored: (masters: readonly GivenInput<MasterInput>[]) => PlanNode[];
  /** Asks the API through the load balancer. */
  verified: (masters: readonly GivenInput<MasterInput>[]) => PlanNode[];
}

const NONE: ExternalLbSteps = {
  endpoint: undefined,
  healed: false,
  moved: undefined,
  installed: () => [],
  routed: () => [],
  noted: () => [],
  restored: () => [],
  verified: () => [],
};

/**
 * What a plan does with the external load balancer of its cluster.
 * @throws TerminalError `external-lb.not-there` where the parameters have one and the instance has none
 */
export function externalLb(hook: HookContext, { scriptWithin, firstBootWithin }: K8sMgmtSettings): ExternalLbSteps {
  const params = externalLbParams(hook.instantiateParams);
  if (params === undefined) return NONE;
  const vnfc = balancerAmong(hook.vnfcs, params);
  const healed = hook.heal !== undefined && (hook.heal.whole || hook.heal.vnfcIds.includes(vnfc.id));
  const base: GivenInput<ExternalLbInput> = { instance: hook.vnfInstanceId, machine: machineOf(hook, params, vnfc) };
  const step = <Input, Output>(
    action: ActionContract<Input, Output>,
    input: GivenInput<NoInfer<Input>>,
    traits: StepTraits = GOES_WITH_THE_VM,
  ): PlanNode => stepOf(action, { target: vnfc.name, limits: [`host:${vnfc.resourceId}`], traits, input });
  const first = { firstBootWithinMs: firstBootWithin };
  /** The step that runs the package's script with these nodes; none where our actions install the load balancer. */
  const scripted = (nodes: LbNodes): PlanNode[] => {
    const script = externalLbScript(params, hook);
    if (script.kind === 'builtin') return [];
    const { path, size, sha256 } = script.file;
    const ref = { vnfPkgId: hook.vnfPkgId, path: packagePath(path), size, sha256 };
    const told = { ...base, ...first, ...noProxyOf(hook), routes: routesTo(nodes), script: ref, withinMs: scriptWithin };
    return [step(runExternalLbScript, told)];
  };
  const noted = (masters: readonly GivenInput<MasterInput>[], how: { leaving?: true; takesOver?: true } = {}): PlanNode =>
    step(noteExposedPorts, { ...base, masters: [...masters], ...how }, { ...GOES_WITH_THE_VM, contributes: true });
  const endpoint = endpointOf(vnfc, params);
  const isMade = hook.hook.startsWith('instantiate') || hook.heal?.whole === true;
  const registered = isMade ? undefined : registeredAddress(hook.clusterUrl);
  return {
    endpoint,
    healed,
    moved: movedFrom(vnfc, endpoint.names, hook.clusterUrl),
    installed: (nodes) => {
      const [script] = scripted(nodes);
      if (script !== undefined) return [script, step(routeExternalLb, { ...base, nodes: all(nodes) })];
      return [step(installExternalLb, { ...base, ...first, ...proxyOf(hook), routes: routesTo(nodes) })];
    },
    routed: (nodes, before) => {
      if (healed) return [];
      const undo = before === undefined ? {} : { before: all(before) };
      // The document has the package's script update the routes, too. The step after it sets routes that the script has not set.
      return [
        ...scripted(nodes),
        step(routeExternalLb, { ...base, nodes: all(nodes), ...undo }, { undoable: before !== undefined }),
      ];
    },
    noted: (masters) => {
      if (!healed || hook.heal?.whole === true) return [noted(masters)];
      return hook.hook === 'heal_start' ? [noted(masters, { leaving: true })] : [];
    },
    restored: (masters) => [
      step(restoreNodePorts, { ...base, masters: [...masters] }, { ...GOES_WITH_THE_VM, contributes: true }),
      noted(masters, { takesOver: true }),
    ],
    verified: (masters) => {
      // Where the load balancer has several addresses, the one in the certificate is asked: a person may have added others.
      const at = registered !== undefined && endpoint.names.includes(registered) ? { address: registered } : {};
      return [step(verifyExternalLb, { ...base, masters: [...masters], ...at })];
    },
  };
}

const all = ({ masters, workers }: LbNodes): LbNode[] => [...masters, ...workers];

const routesTo = ({ masters, workers }: LbNodes) => ({ masters: [...masters], workers: [...workers] });

/** The VM that has the CP. */
function balancerAmong(vnfcs: readonly Vnfc[], { ssh_cp_name: cp }: ExternalLbParams): Vnfc {
  const [found, another] = vnfcs.filter(({ cps }) => cps.some(({ cpdId }) => cpdId === cp));
  if (found !== undefined && another === undefined) return found;
  throw new TerminalError(
    'external-lb.not-there',
    `${found === undefined ? 'no VM has' : 'several VMs have'} the CP ${cp} of the load balancer: one was expected. Is ${EXTERNAL_LB}.ssh_cp_name right?`,
  );
}

/** By the floating IP, or else the first address, of the CP that is logged in to. */
function endpointOf({ cps, name }: Vnfc, { ssh_cp_name: cp }: ExternalLbParams): NonNullable<ExternalLbSteps['endpoint']> {
  const own = cps.filter(({ cpdId }) => cpdId === cp);
  const names = addressesOf([...own, ...cps]);
  const [address] = own.flatMap((each) => loginAddress(each) ?? []).concat(names);
  if (address === undefined) throw new TerminalError('node.no-address', `the CP ${cp} of ${name} has no address to log in to`);
  return { address, port: EXTERNAL_LB_PORT, names };
}

/** All, each once. */
const addressesOf = (cps: Vnfc['cps']): string[] => [
  ...new Set(cps.flatMap(({ floatingIp, addresses }) => [floatingIp ?? [], ...addresses].flat())),
];

/** Of a request to heal: why the balancer among these VNFCs can't be, if it is one of them. */
export function movedBalancer(
  instantiateParams: JsonObject,
  { vnfcs, clusterUrl, heal }: Pick<RequestedInstance, 'vnfcs' | 'clusterUrl' | 'heal'>,
): string | undefined {
  const params = externalLbParams(instantiateParams);
  const vnfc = vnfcs.find(
    ({ id, cps }) => heal?.vnfcIds.includes(id) === true && cps.some(({ cpdId }) => cpdId === params?.ssh_cp_name),
  );
  return vnfc === undefined ? undefined : movedFrom(vnfc, addressesOf(vnfc.cps), clusterUrl);
}

/** As `machineReference` of the kit, under the names of this parameter. A request that repeats the whole overrides the login for its operation. */
function machineOf(hook: HookContext, params: ExternalLbParams, { id, name }: Vnfc): GivenInput<MachineInput> {
  const again = hook.hook.startsWith('instantiate') ? undefined : externalLbParams(hook.requestParams);
  const login = again === undefined ? loginAt(PARAMS, params) : loginAt(REQUESTED, again);
  return { name, sshCp: params.ssh_cp_name, vnfc: sourced(source<Vnfc>(SOURCES.vnfc(id))), ...login };
}

const loginAt = (from: Source<WithExternalLb>, shown: ExternalLbParams) =>
  sshLoginOf(from, (of) => of.k8s_cluster_installation_param.external_lb_param, shown);

const shownProxy = ({ instantiateParams }: HookContext) => paramsAs<WithExternalLb>(instantiateParams)[PARAM].proxy;

const proxyOf = (hook: HookContext) =>
  shownProxy(hook) === undefined ? {} : { proxy: sourced(PARAMS, (of) => of.k8s_cluster_installation_param.proxy) };

function noProxyOf(hook: HookContext) {
  const { no_proxy: noProxy } = shownProxy(hook) ?? {};
  return { ...proxyOf(hook), ...(noProxy === undefined ? {} : { noProxy }) };
}
