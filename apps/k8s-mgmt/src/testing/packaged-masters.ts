import { millis, type JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import type { FakeCall, FakeReply } from '@windlass/mgmt-driver/testing';
import type { CrashPoints } from '@windlass/driver-kit/testing';
import { CHANGE_BACK_ENDS } from '../balancer/script-balancer.js';
import * as balancerScripts from '../balancer/scripts.js';
import { defaultSettings } from '../settings/settings.js';
import { bench, type BenchOptions } from './bench.js';
import { FakeCluster } from './fake-cluster.js';
import { FakeEtcd } from './fake-etcd.js';
import { PARAMS, plainParams, script, vnfc } from './requests.js';

const VIP = { name: 'vip_CP', resourceId: 'port-vip', addresses: ['10.10.0.50'], floatingIp: null };

/** The VNFCs of three masters and two workers. */
export const HA_VNFCS = [
  ...[24, 25, 26].map((n) => vnfc('master', n, `10.10.0.${n}`)),
  ...[31, 32].map((n) => vnfc('worker', n, `10.10.0.${n}`)),
];

/** A cluster of three masters made by the package's script, with the script's HAProxy and keepalived on each. */
export class PackagedMasters {
  readonly world: FakeCluster;
  readonly etcd: FakeEtcd;
  /** The addresses of the back ends in each master's HAProxy, by the machine; none where the script set up another load balancer. */
  readonly backEnds = new Map<string, string[]>();
  readonly keepalived = new Set<string>();

  constructor(points: CrashPoints = {}) {
    this.world = new FakeCluster(points);
    this.etcd = new FakeEtcd(this.world.hosts);
    const { world } = this;
    world.begin('server-master-24', 'master24', '10.10.0.24');
    world.api?.set('configmap/kubeadm-config', { metadata: {}, data: { ClusterConfiguration: 'kind: ClusterConfiguration\n' } });
    for (const { resourceId, cps } of HA_VNFCS) {
      const [address = ''] = cps[0]!.addresses;
      const role = /master|worker/.exec(resourceId)![0];
      world.node(resourceId).ca = world.node('server-master-24').ca;
      world.listed.set(`${role}${address.slice(8)}`, { ready: true, address });
      world.node(resourceId).registersAs = [`${role}${address.slice(8)}`, { ready: true, address }];
      if (role === 'master') this.#isMaster(resourceId, address);
    }
    world.scriptOutput = (call) => this.#script(call);
    world.hosts
      .on(/^kubectl .*readyz/s, ({ command }) => ({ status: this.#isReady(command) ? 0 : 1, stdout: 'ok' }))
      .on(/upload-certs/, { effect: () => void world.api?.set('secret/kubeadm-certs', { metadata: {} }) })
      .on(/^ls -d \/etc\/kubernetes/, ({ machine }) => ({ status: world.node(machine.resourceId).ca === undefined ? 1 : 0 }))
      .on(/script\.sh.*haproxy\.cfg/s, (call) => this.#changes(call))
      .on(/^\/bin\/bash -s .*haproxy\.cfg/s, (call) => ({ status: this.#isSo(call) ? 0 : 1 }))
      .on(/script\.sh'?\s*$/, (call) => this.#leavesOrReturns(call))
      .on(/systemctl is-active --quiet keepalived/, ({ machine }) => ({
        status: this.keepalived.has(machine.resourceId) ? 1 : 0,
      }));
  }

  /** The driver with the plan of an operation's hook. */
  bench(hook: Partial<HookContext>, options: BenchOptions = {}): ReturnType<typeof bench> {
    const params = plainParams();
    Object.assign((params[PARAMS] as Record<string, JsonObject>).master_node!, { cluster_cp_name: 'vip_CP' });
    const all = { vnfcs: HA_VNFCS, sharedCps: [VIP], files: [script('#!/bin/bash')], ...hook };
    const settings = { ...defaultSettings, listedWithin: millis(30) };
    return bench({ world: this.world, params, requestParams: {}, settings, ...options, hook: all });
  }

  /** The arguments of the script's run on a machine. */
  argumentsOn(resourceId: string): string[] {
    return this.world.node(resourceId).scriptRuns.map((text) => text.replaceAll("'", ''));
  }

  /** Replaces a master's VM, as `heal_start` and Heat do. */
  replaced(resourceId: string): void {
    const address = addressOf(resourceId);
    const { members } = this.etcd;
    members.splice(members.findIndex((member) => member.address === address), 1); // prettier-ignore
    this.world.listed.delete(`master${address.slice(8)}`);
    for (const [id, there] of this.backEnds) this.backEnds.set(id, there.filter((each) => each !== address)); // prettier-ignore
    this.world.destroy(resourceId);
    this.backEnds.delete(resourceId);
    this.keepalived.delete(resourceId);
  }

  /** Leaves a master as an attempt that died between the starts of kubelet and etcd: listed, announced to etcd, and with kubeadm's files. */
  halfJoined(resourceId: string): void {
    const address = addressOf(resourceId);
    this.world.node(resourceId).ca = this.world.node('server-master-24').ca;
    this.world.listed.set(`master${address.slice(8)}`, { ready: false, address });
    this.etcd.add(resourceId, address, { runs: false, voting: false, announcedOnly: true });
  }

  #isMaster(resourceId: string, address: string): void {
    this.etcd.add(resourceId, address);
    this.backEnds.set(resourceId, ['10.10.0.24', '10.10.0.25', '10.10.0.26']);
    this.keepalived.add(resourceId);
  }

  /** Answers the script. As with kubeadm, a join needs a valid token, for a master the certificates' key, and an etcd without a dead member in its place. */
  #script({ machine: { resourceId }, command }: FakeCall): FakeReply {
    const of = (option: string): string => new RegExp(`-${option} '?([^' ]+)`).exec(command)?.[1] ?? '';
    const address = addressOf(resourceId);
    if (![...this.world.tokens.values()].includes(of('t'))) return { status: 255, stderr: 'no such token' };
    const role = /master|worker/.exec(resourceId)![0];
    if (role === 'master') {
      if (!/^[0-9a-f]{64}$/.test(of('k')) || this.world.api?.has('secret/kubeadm-certs') !== true)
        return { status: 255, stderr: 'no certificates' };
      const refusal = this.etcd.refusal(address);
      if (refusal !== undefined) return { status: 255, stderr: refusal };
    }
    if (this.world.node(resourceId).ca !== undefined)
      return { status: 255, stderr: 'FileAvailable--etc-kubernetes-kubelet.conf' };
    return {
      stdout: 'joined\n',
      effect: () => {
        const node = this.world.node(resourceId);
        node.ca = this.world.node('server-master-24').ca;
        node.registersAs = [`${role}${address.slice(8)}`, { ready: true, address }];
        this.world.listed.set(...node.registersAs);
        if (role === 'master') this.#isMaster(resourceId, address);
      },
    };
  }

  /** Whether an API server is ready, which needs its member of etcd. */
  #isReady(command: string): boolean {
    const address = /--server=https:\/\/([0-9.]+):/.exec(command)?.[1];
    return this.etcd.members.some((member) => member.address === address && member.runs);
  }

  #changes({ machine, command, files }: FakeCall): FakeReply {
    const text = [...files].find(([path]) => path.endsWith('/script.sh'))?.[1];
    if (text !== CHANGE_BACK_ENDS) return { status: 127, stderr: 'no such script' };
    const there = this.backEnds.get(machine.resourceId);
    if (there === undefined) return { stdout: 'no HAProxy with back ends at port 6443\n' };
    const { come, go } = told(command);
    return {
      effect: () =>
        void this.backEnds.set(machine.resourceId, [...new Set([...there, ...come])].filter((each) => !go.includes(each)).sort()),
    };
  }

  #isSo({ machine, command }: FakeCall): boolean {
    const there = this.backEnds.get(machine.resourceId);
    const { come, go } = told(command);
    return there !== undefined && come.every((each) => there.includes(each)) && !go.some((each) => there.includes(each));
  }

  #leavesOrReturns({ machine, files }: FakeCall): FakeReply {
    const text = [...files].find(([path]) => path.endsWith('/script.sh'))?.[1];
    if (text === balancerScripts.LEAVE_LOAD_BALANCER) return { effect: () => void this.keepalived.delete(machine.resourceId) };
    if (text === balancerScripts.RETURN_TO_LOAD_BALANCER) return { effect: () => void this.keepalived.add(machine.resourceId) };
    return { status: 127, stderr: 'no such script' };
  }
}

const addressOf = (resourceId: string): string =>
  HA_VNFCS.find((each) => each.resourceId === resourceId)?.cps[0]?.addresses[0] ?? '';

/** The addresses of coming and going masters, in the script's two last arguments. */
function told(command: string): { come: string[]; go: string[] } {
  const [come = '', go = ''] = Array.from(command.matchAll(/'([^']*)'/g), ([, word = '']) => word).slice(-2);
  const addresses = (text: string): string[] => Array.from(text.matchAll(/[0-9.]{7,}$/gm), ([address]) => address);
  return { come: addresses(come), go: addresses(go) };
}
