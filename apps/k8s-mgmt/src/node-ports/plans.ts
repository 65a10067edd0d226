import {
  packagePath,
  paramsSource,
  requestParamsSource,
  serverId,
  sshLoginOf,
  type PackageFileRef,
  type ServerInput,
} from '@windlass/driver-kit';
import { InvariantError, TerminalError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import {
  sequence,
  stepOf,
  type ActionContract,
  type GivenInput,
  type Plan,
  type PlanNode,
  type StepTraits,
} from '@windlass/saga';
import { K8S_SERVICE } from '../cluster/action.js';
import type { NodePortFrontend } from '../external-lb/haproxy.js';
import { chooseScript } from '../packaged-script/script-choice.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { checkNodePorts } from './check-node-ports.action.js';
import { closeNodePorts } from './close-node-ports.action.js';
import { exposeNodePorts } from './expose-node-ports.action.js';
import type { ExposeNodePortsInput } from './exposure.js';
import type { NodePortsInput } from './node-ports-context.js';
import { LB_PARAM, nodePortLbParams, repeatedLbParams, type WithNodePortLb } from './parameters.js';

const PARAMS = paramsSource<WithNodePortLb>();
const REQUESTED = requestParamsSource<WithNodePortLb>();

const NOTHING: Plan = { root: sequence() };

/** Checks the ports before anything is made, where the VNFD binds this hook. */
export const instantiateStart = (hook: HookContext): Plan => {
  const known = (nodePortLbParams(hook.instantiateParams).node_ports ?? []).flatMap(frontendOf);
  const scripted = scriptOf(hook).script !== undefined;
  return planOf(step(hook, checkNodePorts, { ...common(hook), frontends: known, scripted }, { undoable: false }));
};

/** Opens the ports. A roll-back closes them. */
export const instantiateEnd = (hook: HookContext, settings: K8sMgmtSettings): Plan =>
  planOf(step(hook, exposeNodePorts, { ...exposure(hook, settings), frontends: frontendsOf(hook) }));

/** Closes the ports of a VNF whose pods are all about to be replaced. */
export const healStart = (hook: HookContext, settings: K8sMgmtSettings): Plan =>
  hook.heal?.whole === true ? planOf(closing(hook, settings, {})) : NOTHING;

/** Opens the ports again: a recreated Service may have different ones. There is no undo past the replacement. */
export const healEnd = (hook: HookContext, settings: K8sMgmtSettings): Plan =>
  planOf(step(hook, exposeNodePorts, { ...exposure(hook, settings), frontends: frontendsOf(hook) }, { undoable: false }));

/** Closes the ports before the pods end. */
export const terminateStart = (hook: HookContext, settings: K8sMgmtSettings): Plan => planOf(closing(hook, settings, {}));

/** Closes the ports where the VNFD binds only this hook. Otherwise they are closed already. */
export const terminateEnd = (hook: HookContext, settings: K8sMgmtSettings): Plan =>
  planOf(closing(hook, settings, { undoable: false }));

const planOf = (node: PlanNode): Plan => ({ root: sequence(node) });

/** Only a forceful termination goes on where the load balancer can't be reached. */
const closing = (hook: HookContext, settings: K8sMgmtSettings, traits: StepTraits): PlanNode => {
  const leaves = hook.request.terminationType === 'FORCEFUL' ? { leaves: true } : {};
  const frontends = (hook.nodePorts ?? []).flatMap(frontendOf);
  return step(hook, closeNodePorts, { ...exposure(hook, settings), frontends, ...leaves }, { ...traits, contributes: true });
};

/** One operation at a time on a balancer. */
function step<Input extends NodePortsInput, Output>(
  hook: HookContext,
  action: ActionContract<Input, Output>,
  input: GivenInput<NoInfer<Input>>,
  traits: StepTraits = {},
): PlanNode {
  const { ssh_ip: address } = nodePortLbParams(hook.instantiateParams).external_lb_param;
  return stepOf(action, { target: address, limits: [`${K8S_SERVICE}:node-ports-${address}`], traits, input });
}

function common(hook: HookContext): Omit<GivenInput<NodePortsInput>, 'frontends'> {
  const { external_lb_param: shown } = nodePortLbParams(hook.instantiateParams);
  const again = hook.hook.startsWith('instantiate') ? undefined : repeatedLbParams(hook.requestParams)?.external_lb_param;
  const login = sshLoginOf(again === undefined ? PARAMS : REQUESTED, (of) => of[LB_PARAM].external_lb_param, again ?? shown);
  const server: GivenInput<ServerInput> = {
    name: `load balancer ${shown.ssh_ip}`,
    id: serverId(hook.vnfInstanceId, shown.ssh_ip),
    address: shown.ssh_ip,
    root: true,
    ...login,
  };
  return { instance: hook.vnfInstanceId, server };
}

const exposure = (hook: HookContext, { scriptWithin }: K8sMgmtSettings): Omit<GivenInput<ExposeNodePortsInput>, 'frontends'> => ({
  ...common(hook),
  withinMs: scriptWithin,
  ...scriptOf(hook),
});

function scriptOf({ instantiateParams, files, vnfPkgId }: HookContext): { script?: PackageFileRef } {
  const { script_path: path } = nodePortLbParams(instantiateParams);
  if (path === undefined) return {};
  const choice = chooseScript(path, files);
  if (choice === undefined) throw new InvariantError(`the package has no ${path}, which was there when the request came`);
  if (choice.kind === 'builtin') return {};
  const { size, sha256 } = choice.file;
  return { script: { vnfPkgId, path: packagePath(choice.file.path), size, sha256 } };
}

/** @throws TerminalError `node-ports.unknown` while the cluster has not been asked which ports it gave */
function frontendsOf({ nodePorts, instantiateParams }: HookContext): NodePortFrontend[] {
  const { node_ports: known = [] } = nodePortLbParams(instantiateParams);
  if (nodePorts !== undefined) return nodePorts.flatMap(frontendOf);
  const open = known.find(({ ports }) => ports.some(({ nodePort, protocol }) => protocol === 'TCP' && nodePort === undefined));
  if (open === undefined) return known.flatMap(frontendOf);
  throw new TerminalError(
    'node-ports.unknown',
    `the cluster chooses the nodePort of the Service ${open.namespace}/${open.name}, and nobody has read it yet: it is known when the objects are there. An operation that stops here was read by a coordinator or an infra driver of an older release: update them, then retry`,
  );
}

/** The frontend of a Service's TCP ports: HAProxy passes on no others. */
function frontendOf({ namespace, name, ports }: NonNullable<HookContext['nodePorts']>[number]): NodePortFrontend[] {
  const tcp = ports.flatMap(({ nodePort, protocol }) => (protocol === 'TCP' && nodePort !== undefined ? [nodePort] : []));
  return tcp.length === 0 ? [] : [{ name: `${namespace}_${name}`, ports: tcp }];
}
