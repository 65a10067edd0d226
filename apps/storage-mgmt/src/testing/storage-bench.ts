import {
  installNfsClient,
  setUpStorage,
  type InstallNfsClientInput,
  type MachineInput,
  type SetUpStorageInput,
} from '@windlass/driver-kit';
import { FakeVims, hookContextOf, INSTANCE, PlanRunner, vnfc, type CrashPoints } from '@windlass/driver-kit/testing';
import { FakeHosts, type FakeCall, type FakeReply } from '@windlass/mgmt-driver/testing';
import { parallel, stepOf } from '@windlass/saga';
import { boundActions } from '../bound-actions.js';
import * as client from '../client/scripts.js';
import * as server from '../server/scripts.js';

export const SERVER = 'server-storage';
export const NODE = 'server-node';

const machine = (id: string, address: string): MachineInput => ({
  name: id,
  vnfc: vnfc(id, 'cp', address),
  sshCp: 'cp',
  username: 'ubuntu',
  password: 'ubuntu',
});

export const PROXY = { http_proxy: 'http://user1:secret-of-proxy@10.0.0.1:3128' };

const storage: SetUpStorageInput = {
  instance: INSTANCE,
  machine: machine('storage', '10.10.0.9'),
  volumes: [{ volumeId: 'vol-1', device: '/dev/vdb', mountTo: '/volume' }],
  exports: [{ directory: '/volume/nfs/pv1', to: '10.10.0.0/24' }],
  proxy: PROXY,
};
const node: InstallNfsClientInput = { instance: INSTANCE, machine: machine('node', '10.10.0.10'), proxy: PROXY };

/** Machines on which the scripts do what they say, in memory. */
export class FakeStorage {
  /** What each machine was set up with, by its server's id. */
  readonly set = new Map<string, string>();
  readonly hosts: FakeHosts;

  constructor(points: CrashPoints) {
    this.hosts = new FakeHosts(points)
      .on(/cloud-init/, () => ({ status: 127 }))
      .on(/^dpkg -s nfs-common/, ({ machine: { resourceId } }) => ({ status: this.set.has(resourceId) ? 0 : 1 }))
      .on(/^\/bin\/bash -s/, (call) => this.#looks(call))
      .on(/script\.sh/, (call) => this.#runs(call));
  }

  #looks({ machine: { resourceId }, command, input }: FakeCall): FakeReply {
    const found = this.set.get(resourceId);
    if (input === server.WHICH_SERVER) return found === undefined ? { status: 1 } : { stdout: 'ganesha\n' };
    return found !== undefined && command.includes('vol-1') ? { stdout: 'ganesha\n' } : { status: 1 };
  }

  #runs({ machine: { resourceId }, files }: FakeCall): FakeReply {
    const byName = new Map([...files].map(([path, content]) => [path.split('/').at(-1)!, content]));
    const effects: Record<string, () => void> = {
      [server.SET_UP_STORAGE]: () => this.set.set(resourceId, `${byName.get('volumes')}${byName.get('exports')}`),
      [client.INSTALL_NFS_CLIENT]: () => this.set.set(resourceId, byName.get('apt.conf') ?? ''),
      [server.REMOVE_STORAGE]: () => this.set.delete(resourceId),
      [client.REMOVE_NFS_CLIENT]: () => this.set.delete(resourceId),
    };
    const effect = effects[byName.get('script.sh') ?? ''];
    return effect === undefined ? { status: 127, stderr: 'no such script' } : { stdout: 'working\n', effect };
  }
}

/** A storage server and a node, side by side. */
export function storageBench(points: CrashPoints = {}) {
  const world = new FakeStorage(points);
  const vims = new FakeVims(() => INSTANCE);
  const unread = (): never => {
    throw new Error('no file is read here');
  };
  const packages = { read: unread, stream: unread };
  const actions = boundActions({ hosts: world.hosts, vims, packages });
  const lines: string[] = [];
  const runner = new PlanRunner(
    {
      root: parallel([
        stepOf(setUpStorage, { id: 'storage', input: storage, traits: { contributes: true } }),
        stepOf(installNfsClient, { id: 'client', input: node }),
      ]),
    },
    { actions, hook: hookContextOf(), params: {}, onProgress: (_, line) => void lines.push(line), ...points },
  );
  return { world, hosts: world.hosts, vims, runner, lines };
}
