import { TerminalError } from '@windlass/foundation';
import { clusterConnectionId, clusterVimId, type HookContext } from '@windlass/mgmt-driver';
import { outputOf, parallel, sequence, stepOf, type Plan, type PlanNode } from '@windlass/saga';
import { cordonNode } from '../cluster/nodes/cordon-node.action.js';
import { drainNode } from '../cluster/nodes/drain-node.action.js';
import type { ClusterNode } from '../cluster/request/nodes.js';
import { removeProbes } from '../cluster/verify/remove-probes.action.js';
import { verifyCluster } from '../cluster/verify/verify-cluster.action.js';
import { createAdminAccount } from '../cluster/vim/create-admin-account.action.js';
import { registerVim } from '../cluster/vim/register-vim.action.js';
import { madeAnew, terminateEnd as deregistered, terminateStart } from '../cluster/vim/terminate.js';
import { defaultVimName } from '../cluster/vim/vim-name.js';
import type { LbNodes } from '../external-lb/steps.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { KubespraySteps, nodeName } from './kubespray-steps.js';
import { removeInventory } from './remove-inventory.action.js';
import { ServerSteps } from './server-steps.js';

const NOTHING: Plan = { root: sequence() };

/** Rolled back, an instantiation deletes its VMs, and the cluster with them. */
const GOES_WITH_THE_VM = { undoable: false } as const;

/** Checks the Ansible server before any VM is made, where the VNFD binds this hook. */
export const instantiateStart = (hook: HookContext): Plan => ({ root: sequence(new ServerSteps(hook).checked('cluster')) });

/** Has kubespray make a cluster of the VMs, and registers it as a VIM. */
export function instantiateEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const steps = new KubespraySteps(hook, settings);
  const account = steps.onCluster(createAdminAccount, {}, GOES_WITH_THE_VM);
  return {
    common: steps.common,
    root: sequence(
      steps.checked('cluster'),
      steps.prepared(steps.nodes, { anew: true }),
      steps.written(steps.nodes),
      steps.played('cluster'),
      ...verified(steps),
      account,
      ...steps.balancer.installed(routes(steps.nodes)),
      ...steps.balancer.verified(steps.masterInputs),
      ...steps.balancer.noted(steps.masterInputs),
      stepOf(registerVim, {
        target: vimName(hook, steps),
        traits: { contributes: true },
        input: {
          vimId: clusterVimId(hook.vnfInstanceId),
          connectionId: clusterConnectionId(hook.vnfInstanceId),
          name: vimName(hook, steps),
          description: `cluster of VNF instance ${hook.vnfInstanceId}, by kubespray`,
          authUrl: steps.apiUrl,
          account: outputOf(account, (of) => of.account),
        },
      }),
    ),
  };
}

/** Nodes, as the load balancer passes on to them. */
function routes(nodes: readonly ClusterNode[]): LbNodes {
  const of = (wanted: ClusterNode['role']) =>
    nodes.filter(({ role }) => role === wanted).map((node) => ({ name: nodeName(node), address: node.address }));
  return { masters: of('master'), workers: of('worker') };
}

const vimName = ({ vnfInstanceId }: HookContext, { params }: KubespraySteps): string =>
  params.vim_name ?? defaultVimName(vnfInstanceId);

/** Verifies that the cluster is as wanted. @param about the nodes that the operation has brought; all unless given */
function verified(steps: KubespraySteps, about?: readonly ClusterNode[]): PlanNode[] {
  const image = steps.verificationImage;
  const touched = about === undefined ? {} : { about: about.map(({ address }) => address) };
  return [
    steps.onCluster(verifyCluster, { image, ...touched }, { ...GOES_WITH_THE_VM, contributes: true }),
    steps.onCluster(removeProbes, {}, GOES_WITH_THE_VM),
  ];
}

/** Drains workers that leave, and takes them out of the cluster while their VMs still run. Before a scale out, checks the Ansible server. */
export function scaleStart(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const steps = new KubespraySteps(hook, settings);
  const leaving = changed(steps, 'REMOVED');
  const { aspectId } = hook.request;
  const ofOthers = aspectId !== undefined && aspectId !== (steps.params.worker_node.aspect_id ?? aspectId);
  if (leaving.length === 0) return ofOthers ? NOTHING : { root: sequence(steps.checked('facts', 'scale')) };
  return { common: steps.common, root: sequence(...left(steps, leaving)) };
}

/** Drains all nodes that leave, then removes them. kubespray needs them in its inventory until they are removed. */
function left(steps: KubespraySteps, leaving: readonly ClusterNode[]): PlanNode[] {
  const staying = steps.nodes.filter((node) => !leaving.some(({ address }) => address === node.address));
  const forGood = { undoable: false, contributes: true };
  return [
    steps.checked('remove', 'facts', 'scale'),
    // The Ansible server may differ from that of earlier operations.
    steps.prepared([]),
    steps.written(steps.nodes),
    ...steps.balancer.routed(routes(staying), routes(steps.nodes)),
    ...steps.balancer.noted(steps.masterInputs),
    parallel(leaving.map((node) => steps.onNode(cordonNode, node, {}))),
    parallel(leaving.map((node) => steps.onNode(drainNode, node, steps.drainTerms, forGood))),
    steps.removed(leaving),
    { ...steps.written(staying, steps.nodes), id: 'write-inventory:after' },
  ];
}

/** Workers that have come join. */
export function scaleEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  const steps = new KubespraySteps(hook, settings);
  const came = changed(steps, 'ADDED');
  return came.length === 0 ? NOTHING : { common: steps.common, root: sequence(...joined(steps, came, { undoable: true })) };
}

/** Facts of all nodes are gathered before the join: with `--limit`, kubespray reads the other nodes' facts from its cache. */
function joined(steps: KubespraySteps, came: readonly ClusterNode[], { undoable }: { undoable: boolean }): PlanNode[] {
  const there = steps.nodes.filter((node) => !came.some(({ address }) => address === node.address));
  return [
    steps.checked('facts', 'scale'),
    steps.prepared(came),
    steps.written(steps.nodes, undoable ? there : undefined),
    steps.played('facts', [...steps.masters, ...came]),
    steps.scaled(came, undoable),
    ...verified(steps, came),
    ...steps.balancer.routed(routes(steps.nodes), undoable ? routes(there) : undefined),
    ...steps.balancer.noted(steps.masterInputs),
  ];
}

/** Removes a worker before its VM is replaced. Before a heal of the whole, checks that nobody uses the cluster as a VIM. */
export function healStart(hook: HookContext, settings: K8sMgmtSettings): Plan {
  if (hook.heal?.whole === true) return { root: sequence(new ServerSteps(hook).checked('cluster'), terminateStart(hook).root) };
  const steps = new KubespraySteps(hook, settings);
  const healed = healedWorkers(steps);
  const { moved } = steps.balancer;
  if (steps.balancer.healed && moved !== undefined)
    throw new TerminalError('external-lb.moved', `${moved}. Nothing was begun: roll this operation back, then heal again`);
  // Only the load balancer itself can show what it opens, so it is asked before it is replaced, where it still answers.
  const nodes = healed.length === 0 ? lookedAt(steps) : left(steps, healed);
  return nodes.length === 0 ? NOTHING : { common: steps.common, root: sequence(...nodes) };
}

const lookedAt = ({ balancer, masterInputs }: KubespraySteps): PlanNode[] =>
  balancer.healed ? balancer.noted(masterInputs) : [];

/**
 * Has replaced workers join, and installs a replaced load balancer with the ports of the previous one. There is no undo past the replacement: the
 * previous VM is gone.
 */
export function healEnd(hook: HookContext, settings: K8sMgmtSettings): Plan {
  if (hook.heal?.whole === true) return madeAnew(hook, instantiateEnd(hook, settings));
  const steps = new KubespraySteps(hook, settings);
  const healed = healedWorkers(steps);
  const { balancer, masterInputs } = steps;
  const nodes = healed.length === 0 ? [] : joined(steps, healed, { undoable: false });
  const anew = balancer.healed
    ? [...balancer.installed(routes(steps.nodes)), ...balancer.restored(masterInputs), ...balancer.verified(masterInputs)]
    : [];
  if (nodes.length + anew.length === 0) return NOTHING;
  return { common: steps.common, root: sequence(...nodes, ...anew) };
}

/** Deregisters the VIM after the VMs are gone, and removes our folder on the Ansible server. */
export function terminateEnd(hook: HookContext): Plan {
  const folder = new ServerSteps(hook).onServer(removeInventory, {}, { traits: { undoable: false, contributes: true } });
  return { root: sequence(deregistered(hook).root, folder) };
}

/** The nodes among what the operation takes away, or has brought. */
function changed(steps: KubespraySteps, type: 'ADDED' | 'REMOVED'): ClusterNode[] {
  const vnfcs = steps.hook.affectedVnfcs.filter(({ changeType }) => changeType === type).map(({ vnfc }) => vnfc);
  return workersOnly(steps.nodesAmong(vnfcs), 'this release scales workers alone');
}

function healedWorkers(steps: KubespraySteps): ClusterNode[] {
  const ids = steps.hook.heal?.vnfcIds ?? [];
  const healed = steps.nodes.filter(({ vnfc }) => ids.includes(vnfc.id));
  return workersOnly(healed, 'kubespray has no playbook for the healing of one: heal the whole');
}

function workersOnly(nodes: ClusterNode[], why: string): ClusterNode[] {
  const master = nodes.find(({ role }) => role === 'master');
  if (master === undefined) return nodes;
  throw new TerminalError('cluster.kubespray-master', `${master.vnfc.name} is a master: ${why}`);
}
