import { createHash } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import type { FakeCall, FakeHosts, FakeReply } from '@windlass/mgmt-driver/testing';
import { ARCHIVE, READ_ARCHIVE, RESTORED, SUM_OF_ARCHIVE } from '../snapshots/scripts.js';
import { contentOf, documentsOf } from './raw-documents.js';

/** The content of an archive: its master, kubeadm's configuration, and etcd's data as the fake cluster keeps them. */
export type Packed = {
  name: string;
  address: string;
  configuration: string;
  nodes: [string, string][];
  etcd: JsonObject;
};

/** The fake cluster of which archives are made, and which is restored from them. */
interface Cluster {
  /** The content of an archive of a machine; undefined without etcd. */
  packed(resourceId: string): Packed | undefined;
  unpacked(resourceId: string, packed: Packed): void;
  /** The version of Kubernetes on a machine. */
  installed(resourceId: string): string | undefined;
}

/** The size of an archive in bytes, larger than a part, so that a second part is asked for. */
const SIZE = 600_000;

/** The masters' snapshots of etcd, the archives of them, and the restoring of a cluster from an archive. */
export class FakeSnapshots {
  /** The size of etcd's database, and of the free room, in bytes. */
  size = 20_000_000;
  free = 10_000_000_000;
  /** The last archive. */
  content = Buffer.alloc(0);
  /** The files that flags of the API server name and that do not exist. */
  missing: string[] = [];
  /** The message of a failing etcdctl. */
  failure: string | undefined;
  /** The message of a kubeadm that can't restore an archive. */
  unrestorable: string | undefined;
  /** The machines on which an archive lies. */
  readonly left = new Set<string>();
  /** The machines that were restored from an archive, with the archive's digest. */
  readonly restored = new Map<string, string>();

  constructor(
    private readonly hosts: FakeHosts,
    private readonly cluster: Cluster,
  ) {
    hosts
      .on(/^\/bin\/bash -s snapshot$/, ({ machine }) => ({
        stdout: cluster.packed(machine.resourceId) ? `etcd ${this.size} ${this.free} /var/lib/etcd\n` : '',
      }))
      .on(/script\.sh '?\/var\/lib\/etcd/, (call) => this.#take(call))
      .on(/^dd if=/, (call) => this.#part(call))
      .on(/^\/bin\/bash -s '?\/var\/lib\/windlass-snapshot/, (call) => this.#read(call))
      .on(new RegExp(`^test "\\$\\(cat '?${RESTORED}`), ({ machine, command }) => ({
        status: command.includes(this.restored.get(machine.resourceId) ?? 'never') ? 0 : 1,
      }))
      .on(/script\.sh '?\/var\/lib\/windlass-snapshot/, (call) => this.#restore(call))
      .on(/^rm -f -- /, ({ machine }) => ({ effect: () => this.#remove(machine.resourceId) }));
  }

  /** Removes a machine. */
  destroy(resourceId: string): void {
    this.#remove(resourceId);
    this.restored.delete(resourceId);
  }

  #remove(resourceId: string): void {
    this.left.delete(resourceId);
    this.hosts.machine(resourceId).files.delete(ARCHIVE);
  }

  #take({ machine, command }: FakeCall): FakeReply {
    const [archive] = command.replaceAll("'", '').split(' ').slice(-2);
    if (archive !== ARCHIVE) return { status: 127, stderr: 'no such script' };
    if (this.failure !== undefined) return { status: 1, stderr: `${this.failure}\n` };
    const packed = this.cluster.packed(machine.resourceId);
    this.content = Buffer.from(JSON.stringify(packed).padEnd(SIZE));
    const sum = digest(this.content);
    const missing = this.missing.map((path) => `missing ${path}\n`).join('');
    const whole = missing === '' && packed?.configuration !== '' ? `cluster ${'c'.repeat(64)}\n` : '';
    return {
      stdout: `saving etcd's database\n${missing}${whole}packing the snapshot\nsnapshot ${this.content.length} ${sum}\n`,
      effect: () => void this.left.add(machine.resourceId),
    };
  }

  #part({ machine, command }: FakeCall): FakeReply {
    if (!this.left.has(machine.resourceId)) return { status: 1, stderr: `dd: failed to open '${ARCHIVE}'` };
    const words = command.replaceAll("'", '');
    const [bytes, skip] = ['bs', 'skip'].map((word) => Number(new RegExp(`${word}=(\\d+)`).exec(words)?.[1])) as [number, number];
    return { stdout: this.content.subarray(skip * bytes, (skip + 1) * bytes).toString('base64') };
  }

  #archiveOn(resourceId: string): Buffer | undefined {
    return this.hosts.machine(resourceId).files.get(ARCHIVE)?.content;
  }

  #read({ machine, input }: FakeCall): FakeReply {
    const archive = this.#archiveOn(machine.resourceId);
    if (input === SUM_OF_ARCHIVE) return { stdout: archive === undefined ? '' : `${digest(archive)}\n` };
    if (input !== READ_ARCHIVE) return { status: 127, stderr: 'no such script' };
    if (archive === undefined) return { status: 2, stderr: `tar: ${ARCHIVE}: Cannot open: No such file or directory` };
    const { name, address, configuration, nodes } = JSON.parse(archive.toString()) as Packed;
    const lines = nodes.map(([node, at]) => `node ${node} ${at}\n`).join('');
    return {
      stdout: `name ${name}\naddress ${address}\n${lines}configuration ${Buffer.from(configuration).toString('base64')}\n`,
    };
  }

  /** Restores as the script, kubeadm and etcdutl do: only from the named archive, with the archive's address, name and Kubernetes. */
  #restore(call: FakeCall): FakeReply {
    const { resourceId } = call.machine;
    const [sum = '', , address = ''] = call.command.replaceAll("'", '').split(' ').slice(-4);
    const archive = this.#archiveOn(resourceId);
    if (archive === undefined || digest(archive) !== sum)
      return { status: 1, stderr: `${ARCHIVE} is not the snapshot that was brought` };
    const packed = JSON.parse(archive.toString()) as Packed;
    if (packed.address !== address) return { status: 1, stderr: `the snapshot is of a master at ${packed.address}` };
    const [init] = documentsOf(contentOf(call, 'machine.yaml'));
    const { name } = init!.nodeRegistration as unknown as { name: string };
    if (name !== packed.name) return { status: 1, stderr: `node "${packed.name}" not found` };
    const installed = this.cluster.installed(resourceId);
    if (!packed.configuration.includes(`kubernetesVersion: v${installed ?? 'none'}\n`))
      return { status: 1, stderr: `[ERROR KubernetesVersion]: kubeadm is ${installed ?? 'not there'}` };
    if (this.unrestorable !== undefined) return { status: 1, stderr: this.unrestorable };
    return {
      stdout: "unpacking the snapshot\nrestoring etcd's data\nplacing the cluster's keys\nstarting the control plane\n",
      effect: () => {
        this.cluster.unpacked(resourceId, packed);
        this.restored.set(resourceId, sum);
        this.#remove(resourceId);
      },
    };
  }
}

const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
