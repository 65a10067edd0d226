import {
  installNfsClient,
  setUpStorage,
  type InstallNfsClientInput,
  type MachineInput,
  type SetUpStorageInput,
} from '@windlass/driver-kit';
import { FakeVims, hookContextOf, INSTANCE, PlanRunner, vnfc, type CrashPoints } from '@windlass/driver-kit/testing';
import { parallel, stepOf } from '@windlass/saga';
import { boundActions } from '../actions.js';
import { FakeStorage } from './fake-storage.js';

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
