import { hookContextOf, PlanRunner, type CrashPoints, FakeVims, INSTANCE } from '@windlass/driver-kit/testing';
import { FakeHosts, type FakeCall, type FakeReply } from '@windlass/mgmt-driver/testing';
import { parallel, sequence, stepOf, type Plan } from '@windlass/saga';
import { changeLoadBalancer } from '../balancer/change-load-balancer.action.js';
import { configureLoadBalancer } from '../balancer/configure-load-balancer.action.js';
import { leaveLoadBalancer } from '../balancer/leave-load-balancer.action.js';
import type { LoadBalancer } from '../balancer/load-balancer.js';
import * as scripts from '../balancer/scripts.js';
import { verifyLoadBalancer, type VerifyLoadBalancerInput } from '../balancer/verify-load-balancer.action.js';
import type { NodeInput, NodeStepInput } from '../cluster/node-input.js';
import { allActions } from './all-actions.js';
import { vnfc } from './requests.js';

/** A master as a back end of a load balancer. */
export const NODE = { name: 'master24', address: '10.10.0.24' };

/** The load balancer of three masters; the virtual address ends in 99. */
export const balancer = (more: Partial<LoadBalancer> = {}): LoadBalancer => ({
  vip: '10.10.0.99',
  backends: ['24', '25', '26'].map((last) => ({ name: `master${last}`, address: `10.10.0.${last}` })),
  holders: ['24', '25', '26'].map((last) => `10.10.0.${last}`),
  ...more,
});

/** The three masters. */
export const MASTERS: readonly NodeInput[] = balancer().backends.map(({ name, address }, n) => ({
  name,
  address,
  role: 'master',
  vnfc: vnfc('master', n + 1, address),
  sshCp: 'masterNode_CP1',
  username: 'ubuntu',
}));

/** The load balancer without its last master. */
export const SMALLER = balancer({ backends: balancer().backends.slice(0, 2), holders: balancer().holders.slice(0, 2) });

/** The input of a step on a node, beside the load balancer's. */
export const onNode = (node: NodeInput): NodeStepInput => ({
  instance: INSTANCE,
  node,
  cluster: {
    address: '10.10.0.99',
    publicAddress: null,
    podCidr: '192.168.0.0/16',
    serviceCidr: '10.96.0.0/12',
    nodes: MASTERS.map(({ name, role, address }) => ({ name, role, address })),
    noProxy: '',
  },
});

export const verifyInput = (): VerifyLoadBalancerInput => ({
  ...onNode(MASTERS[0]!),
  vip: balancer().vip,
  masters: [...MASTERS],
  withinMs: 50,
});

/** A plan that configures and verifies the load balancer on all three masters; then the last master leaves, and the first is told. */
const plan = (): Plan => ({
  root: sequence(
    parallel(
      MASTERS.map((node) =>
        stepOf(configureLoadBalancer, { id: `configure:${node.name}`, input: { ...onNode(node), balancer: balancer() } }),
      ),
    ),
    stepOf(verifyLoadBalancer, { id: 'verify', input: verifyInput() }),
    stepOf(leaveLoadBalancer, { id: 'leave', input: onNode(MASTERS[2]!) }),
    stepOf(changeLoadBalancer, {
      id: 'change',
      input: { ...onNode(MASTERS[0]!), balancer: SMALLER, before: balancer() },
    }),
  ),
});

/** A node's load balancer, and the node's answer about the virtual address. */
export interface FakeBalancerNode {
  /** The files, by their names in the job. */
  files: Map<string, string> | undefined;
  keepalived: boolean;
  holds: boolean;
  answered: boolean;
}

/** Nodes in memory on which the load balancer's scripts work. */
export class FakeBalancers {
  readonly nodes = new Map<string, FakeBalancerNode>();
  readonly hosts: FakeHosts;

  constructor(options: CrashPoints = {}) {
    this.hosts = new FakeHosts(options)
      .on(/^ip -o -4 addr show to/, ({ command }) => ({
        stdout: `2: ens3    inet ${command.split(' ').at(-1)!}/24 scope global ens3\n`,
      }))
      .on(/systemctl is-active/, ({ machine }) => ({ status: this.node(machine.resourceId).keepalived ? 1 : 0 }))
      .on(/^\/bin\/bash -s /, (call) => this.#looks(call))
      .on(/script\.sh/, (call) => this.#runs(call));
    MASTERS.forEach(({ vnfc: { resourceId } }, n) => (this.node(resourceId).holds = n === 0));
  }

  node(resourceId: string): FakeBalancerNode {
    const node = this.nodes.get(resourceId) ?? { files: undefined, keepalived: false, holds: false, answered: true };
    this.nodes.set(resourceId, node);
    return node;
  }

  #looks({ machine, command, input }: FakeCall): FakeReply {
    const { files, holds, answered } = this.node(machine.resourceId);
    if (input === scripts.LOOK_AT_VIP) return { stdout: `${holds ? 'holds\n' : ''}${answered ? 'answered\n' : ''}` };
    const [haproxy = '', keepalived = ''] = command.replaceAll("'", '').split(' ').slice(2);
    const runs =
      (files?.get('haproxy.cfg') ?? '').includes(haproxy) && (files?.get('keepalived.conf') ?? '').includes(keepalived);
    return { status: runs ? 0 : 1 };
  }

  #runs({ machine, files }: FakeCall): FakeReply {
    const node = this.node(machine.resourceId);
    const byName = new Map([...files].map(([path, content]) => [path.split('/').at(-1)!, content]));
    const effects: Record<string, () => void> = {
      [scripts.CONFIGURE_LOAD_BALANCER]: () => Object.assign(node, { files: byName, keepalived: true }),
      [scripts.CHANGE_LOAD_BALANCER]: () => (node.files = byName),
      [scripts.REMOVE_LOAD_BALANCER]: () => Object.assign(node, { files: undefined, keepalived: false }),
      [scripts.LEAVE_LOAD_BALANCER]: () => (node.keepalived = false),
      [scripts.RETURN_TO_LOAD_BALANCER]: () => (node.keepalived = node.files !== undefined),
    };
    const effect = effects[byName.get('script.sh') ?? ''];
    return effect === undefined ? { status: 127, stderr: 'no such script' } : { stdout: 'working\n', effect };
  }
}

/** The load balancer's actions on fake nodes, with a plan that has every action. */
export function balancerBench(points: CrashPoints = {}) {
  const world = new FakeBalancers(points);
  const vims = new FakeVims(() => INSTANCE);
  const actions = allActions({ hosts: world.hosts });
  const runner = new PlanRunner(plan(), { actions, hook: hookContextOf(), params: {}, ...points });
  return { world, hosts: world.hosts, vims, runner };
}
