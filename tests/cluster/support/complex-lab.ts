import { createHash } from 'node:crypto';
import { packagesOf } from '@windlass/driver-kit/testing';
import { seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { PARAMS, plainParams, script } from '@windlass/k8s-mgmt/testing';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { nodesCome } from '../../support/nodes-come.js';
import { labCluster, type LabClusterOptions } from './lab-cluster.js';

const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];

const LIST_MEMBERS =
  'crictl exec $(crictl ps -q --name etcd --state Running | head -n 1) etcdctl --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt --key=/etc/kubernetes/pki/etcd/server.key member list -w simple';

function complexParams(): JsonObject {
  const params = plainParams();
  (params[PARAMS] as Record<string, JsonObject>).master_node!.cluster_cp_name = 'vip_CP';
  return params;
}

/** A package whose install script is these bytes. */
function packagedScript(bytes: Buffer): Pick<LabClusterOptions, 'hook' | 'packages'> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const file = { ...script('#!/bin/bash'), size: bytes.length, sha256 };
  return { hook: { files: [file] }, packages: packagesOf({ [file.path]: bytes }) };
}

/** The name of a node in the cluster: `master10`, by the last byte of its address. */
export const nodeName = ({ cps, id }: Vnfc): string =>
  `${id.startsWith('master') ? 'master' : 'worker'}${cps[0]!.addresses[0]!.split('.')[3] ?? ''}`;

/** A cluster of three masters and some workers on machines of the lab. */
export class ComplexLab {
  private constructor(readonly lab: Awaited<ReturnType<typeof labCluster>>) {}

  /** @param how the real Kubernetes, or an install script of the package */
  static async start(
    workers: number,
    { kubernetes, script }: { kubernetes?: 'real'; script?: Buffer } = {},
  ): Promise<ComplexLab> {
    const images = Array.from({ length: 3 + workers }, () => 'debian-12');
    const real = kubernetes === undefined ? {} : { kubernetes };
    const packaged = script === undefined ? {} : packagedScript(script);
    return new ComplexLab(await labCluster({ params: complexParams(), images, masters: 3, ...real, ...packaged }));
  }

  /** Runs the instantiation's plan. */
  async make(): Promise<void> {
    await this.#run(this.lab.runner);
    process.stderr.write(`${[...this.lab.runner.seconds].map(([step, took]) => `${step} ${took.toFixed(1)} s`).join('\n')}\n`);
  }

  /** Runs the plan of a later operation's hook. */
  async operate(of: Partial<HookContext>): Promise<void> {
    await this.#run(this.lab.operation(of).runner);
  }

  /** Runs the plan of a scaling's hook, for the VNFCs that were added or are to be removed. */
  async scale(hook: 'scale_start' | 'scale_end', vnfcs: readonly Vnfc[], aspectId: string): Promise<void> {
    const changeType = hook === 'scale_start' ? 'REMOVED' : 'ADDED';
    const affectedVnfcs = vnfcs.map((vnfc) => ({ changeType, vnfc }) as const);
    await this.operate({ hook, request: { aspectId, numberOfSteps: vnfcs.length }, affectedVnfcs });
    if (hook === 'scale_end') return;
    for (const vnfc of vnfcs) {
      await this.lab.fleet.destroy(vnfc.resourceId);
      this.lab.vnfcs.splice(this.lab.vnfcs.indexOf(vnfc), 1);
    }
  }

  get masters(): Vnfc[] {
    return this.lab.vnfcs.filter(({ id }) => id.startsWith('master'));
  }

  get workers(): Vnfc[] {
    return this.lab.vnfcs.filter(({ id }) => id.startsWith('worker'));
  }

  /** Runs kubectl on a machine, through the virtual address. */
  async kubectl(from: Vnfc, ...words: string[]): Promise<string> {
    const { status, stdout, stderr } = await this.lab.fleet.exec(from.resourceId, [...KUBECTL, ...words]);
    if (status !== 0) throw new Error(`kubectl ${words.join(' ')}: exit status ${String(status)}: ${stderr}`);
    return stdout;
  }

  /** Each node with its state and roles, as `kubectl get nodes` lists them. */
  async rows(from: Vnfc = this.masters[0]!): Promise<string[]> {
    const lines = (await this.kubectl(from, 'get', 'nodes', '--no-headers')).trim().split('\n');
    return lines.map((line) => line.split(/\s+/).slice(0, 3).join(' ')).sort();
  }

  /** The rows of a whole cluster: all present nodes, Ready. */
  get wholeRows(): string[] {
    return this.lab.vnfcs
      .map((each) => `${nodeName(each)} Ready ${each.id.startsWith('master') ? 'control-plane' : '<none>'}`)
      .sort();
  }

  /** Waits until the cluster, seen from a master, is whole. */
  comesWhole(from: Vnfc = this.masters[0]!): Promise<void> {
    return nodesCome(() => this.rows(from), this.wholeRows);
  }

  /** etcd's members, seen from a master, each with whether it is a learner. */
  async members(from: Vnfc = this.masters[0]!): Promise<string[]> {
    const { stdout } = await this.lab.fleet.exec(from.resourceId, ['bash', '-c', LIST_MEMBERS]);
    const fields = stdout.trim().split('\n').map((line) => line.split(', ')); // prettier-ignore
    return fields.map((of) => `${of[2] ?? ''} ${of[5] ?? ''}`).sort();
  }

  /** The members of a whole etcd, in which every master votes. */
  get wholeMembers(): string[] {
    return this.masters.map((each) => `${nodeName(each)} false`).sort();
  }

  /** The masters that have the virtual address. */
  async holders(of: readonly Vnfc[] = this.masters): Promise<Vnfc[]> {
    const look = `ip -4 addr | grep -c ' ${this.lab.vip ?? ''}/' || true`;
    const counts = await Promise.all(of.map(({ resourceId }) => this.lab.fleet.exec(resourceId, ['sh', '-c', look])));
    return of.filter((_, index) => counts[index]!.stdout.trim() === '1');
  }

  /** Waits until exactly one master has the virtual address, and returns it: the address may move when a machine pauses. */
  holder(): Promise<Vnfc> {
    return waitUntil(
      async (seen) => {
        const holders = await this.holders();
        seen(holders.map(nodeName).join(', '));
        return holders.length === 1 ? holders[0] : undefined;
      },
      { for: 'one master to have the virtual address', within: seconds(60), every: seconds(0.2) },
    );
  }

  /** Replaces a VM as Heat does: another disk, the same port. */
  async replace(vnfc: Vnfc): Promise<void> {
    await this.lab.replace('debian-12', this.lab.vnfcs.findIndex(({ id }) => id === vnfc.id)); // prettier-ignore
  }

  end(): Promise<void> {
    return this.lab.end();
  }

  async #run(runner: { run(): Promise<void> }): Promise<void> {
    await runner.run().catch((error: unknown) => {
      process.stderr.write(`${this.lab.lines.slice(-40).join('\n')}\n`);
      throw error;
    });
  }
}
