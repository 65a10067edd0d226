import { createHash } from 'node:crypto';
import type { FakeCall, FakeHosts, FakeReply } from '@windlass/mgmt-driver/testing';
import { ARCHIVE } from '../snapshots/scripts.js';

/** What masters answer of their etcd, and the archive that one of them makes of it. */
export class FakeSnapshots {
  /** Bytes of etcd's database, and of the room beside it. */
  size = 20_000_000;
  free = 10_000_000_000;
  /** What is packed: more than a part, so that a second one is asked for. */
  content = Buffer.alloc(600_000, 'etcd, keys and all');
  /** Files that flags of the API server name and that are not there. */
  missing: string[] = [];
  /** What etcdctl says where it fails. */
  failure: string | undefined;
  /** Machines on which an archive lies. */
  readonly left = new Set<string>();

  /** @param runs whether there is an etcd */
  constructor(
    hosts: FakeHosts,
    private readonly runs: () => boolean,
  ) {
    hosts
      .on(/^\/bin\/bash -s snapshot$/, () => ({ stdout: this.runs() ? `etcd ${this.size} ${this.free} /var/lib/etcd\n` : '' }))
      .on(/script\.sh '?\/var\/lib\/etcd/, (call) => this.#take(call))
      .on(/^dd if=/, (call) => this.#part(call))
      .on(/^rm -f -- /, ({ machine }) => ({ effect: () => void this.left.delete(machine.resourceId) }));
  }

  #take({ machine, command }: FakeCall): FakeReply {
    if (!command.endsWith(ARCHIVE)) return { status: 127, stderr: 'no such script' };
    if (this.failure !== undefined) return { status: 1, stderr: `${this.failure}\n` };
    const sum = createHash('sha256').update(this.content).digest('hex');
    const missing = this.missing.map((path) => `missing ${path}\n`).join('');
    return {
      stdout: `saving etcd's database\n${missing}packing the snapshot\nsnapshot ${this.content.length} ${sum}\n`,
      effect: () => void this.left.add(machine.resourceId),
    };
  }

  #part({ machine, command }: FakeCall): FakeReply {
    if (!this.left.has(machine.resourceId)) return { status: 1, stderr: `dd: failed to open '${ARCHIVE}'` };
    const words = command.replaceAll("'", '');
    const [bytes, skip] = ['bs', 'skip'].map((word) => Number(new RegExp(`${word}=(\\d+)`).exec(words)?.[1])) as [number, number];
    return { stdout: this.content.subarray(skip * bytes, (skip + 1) * bytes).toString('base64') };
  }
}
