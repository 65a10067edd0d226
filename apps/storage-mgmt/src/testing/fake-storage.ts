import { FakeHosts, type FakeCall, type FakeHostsOptions, type FakeReply } from '@windlass/mgmt-driver/testing';
import * as client from '../client/scripts.js';
import * as server from '../server/scripts.js';

/** Machines in memory on which the scripts work. */
export class FakeStorage {
  /** The settings of each machine, by its server's id: of a storage server, the tables of volumes and exports. */
  readonly set = new Map<string, string>();
  /** The volumes with a file system, by Cinder's ids: a machine makes one on an empty volume alone. */
  readonly fileSystems = new Set<string>();
  readonly hosts: FakeHosts;

  /** @param shared other fakes' machines, which answer all commands but storage's */
  constructor(options: FakeHostsOptions = {}, shared?: FakeHosts) {
    this.hosts = shared ?? new FakeHosts(options).on(/cloud-init/, () => ({ status: 127 }));
    this.hosts
      .on(/^dpkg -s nfs-common/, ({ machine: { resourceId } }) => ({ status: this.set.has(resourceId) ? 0 : 1 }))
      .on(/^\/bin\/bash -s/, (call) => this.#looks(call))
      .on(/^unshare --mount --propagation private \/bin\/bash -c /, (call) => this.#tries(call))
      .on(/script\.sh/, (call) => this.#runs(call));
  }

  #looks({ machine: { resourceId }, command, input }: FakeCall): FakeReply | undefined {
    const found = this.set.get(resourceId);
    if (input === server.WHICH_SERVER) return found === undefined ? { status: 1 } : { stdout: 'ganesha\n' };
    if (input !== server.STORAGE_IS_SET_UP) return undefined;
    const [volumes = ''] = /'([^']*)'/.exec(command)?.slice(1) ?? [];
    return found !== undefined && volumes !== '' && found.startsWith(volumes) ? { stdout: 'ganesha\n' } : { status: 1 };
  }

  /** Answers a node's try to mount a server's exports, a line each with server and path. */
  #tries({ machine: { resourceId }, input }: FakeCall): FakeReply {
    if (!this.set.has(resourceId))
      return { status: 1, stderr: 'mount: bad option; you might need a /sbin/mount.nfs helper program' };
    const exported = [...this.set.values()].join('');
    const missing = input
      .trimEnd()
      .split('\n')
      .find((line) => !exported.includes(`${line.split('\t')[1] ?? ''}\t`));
    return missing === undefined
      ? { stdout: 'mounted\n' }
      : { status: 1, stderr: `mount -t nfs ${missing} ended with status 32` };
  }

  #runs({ machine: { resourceId }, files }: FakeCall): FakeReply | undefined {
    const byName = new Map([...files].map(([path, content]) => [path.split('/').at(-1)!, content]));
    const effects: Record<string, () => void> = {
      [server.SET_UP_STORAGE]: () => this.#setUp(resourceId, byName.get('volumes') ?? '', byName.get('exports') ?? ''),
      [client.INSTALL_NFS_CLIENT]: () => this.set.set(resourceId, byName.get('apt.conf') ?? ''),
      [server.REMOVE_STORAGE]: () => this.set.delete(resourceId),
      [client.REMOVE_NFS_CLIENT]: () => this.set.delete(resourceId),
    };
    const effect = effects[byName.get('script.sh') ?? ''];
    return effect === undefined ? undefined : { stdout: 'working\n', effect };
  }

  #setUp(resourceId: string, volumes: string, exports: string): void {
    for (const line of volumes.split('\n').filter((each) => each !== '')) this.fileSystems.add(line.split('\t')[0]!);
    this.set.set(resourceId, `${volumes}${exports}`);
  }
}
