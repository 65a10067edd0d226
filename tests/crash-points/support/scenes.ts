import { minutes, type JsonObject } from '@windlass/foundation';
import { cleanUpOf, type VnfInstanceRecord } from '@windlass/lifecycle';
import { SCENES_OF_CONTAINERS } from './container-scenes.js';
import { CrashPoints } from './crash-points.js';
import { sampleRequest } from './samples.js';
import { INSTANTIATE_REQUESTS } from './scene-requests.js';
import { CLUSTER_VIM } from './simulated-cluster.js';
import { VIM } from './services.js';
import type { Scene } from './scene.js';
import type { World } from './world.js';

export type * from './scene.js';

const fixed = (request: JsonObject) => () => Promise.resolve(request);

/** The sample `simple-vm`, whose instances share its image. */
export const SHARING = 'shared-images';

/** A sample whose cluster has storage and registries, with the actions of other services. */
export const WITH_STORAGE = 'kubernetes-storage';

/** A sample with a registry of images on a VM. */
export const PRIVATE_REGISTRY = 'private-registry';

/** The sample `kubernetes`, for operations on the instantiated cluster. */
export const CLUSTER_CHANGED = 'cluster';

/** The sample `kubernetes` with three masters. */
export const CLUSTER_OF_MASTERS = 'cluster-of-masters';

/** The sample `kubernetes` with its VMs in server groups, on a VIM that shows their hosts. */
export const CLUSTER_APART = 'cluster-apart';

/** A sample whose cluster an Ansible server makes, behind a load balancer. */
export const BY_KUBESPRAY = 'kubespray';

/** A scene for every operation and internal saga. A test fails until a new operation has its row. */
export const SCENES: readonly Scene[] = [
  {
    title: 'INSTANTIATE',
    operation: 'INSTANTIATE',
    on: [
      ...['simple-vm', 'kubernetes', CLUSTER_OF_MASTERS, CLUSTER_APART],
      ...[WITH_STORAGE, PRIVATE_REGISTRY, BY_KUBESPRAY, 'scripted', 'cnf', SHARING],
    ],
    after: [],
    request: ({ sample: { name } }) =>
      INSTANTIATE_REQUESTS[name]?.() ?? Promise.reject(new Error(`${name} has no request to instantiate it`)),
  },
  {
    title: 'INSTANTIATE with an NFVO’s grant',
    operation: 'INSTANTIATE',
    on: ['simple-vm with an NFVO'],
    after: [],
    granted: true,
    request: () => sampleRequest('instantiate-simple-vm.json'),
  },
  {
    title: 'TERMINATE',
    operation: 'TERMINATE',
    on: [
      ...['simple-vm', 'kubernetes', CLUSTER_OF_MASTERS, CLUSTER_APART],
      ...[WITH_STORAGE, PRIVATE_REGISTRY, BY_KUBESPRAY, 'cnf', SHARING],
    ],
    after: ['INSTANTIATE'],
    request: fixed({ terminationType: 'FORCEFUL' }),
  },
  {
    title: 'SCALE out',
    operation: 'SCALE',
    on: ['scaling', 'scripted'],
    after: ['INSTANTIATE'],
    request: fixed({ type: 'SCALE_OUT', aspectId: 'pair' }),
  },
  {
    title: 'SCALE in',
    operation: 'SCALE',
    on: ['scaling'],
    after: ['INSTANTIATE', 'SCALE out'],
    request: fixed({ type: 'SCALE_IN', aspectId: 'pair' }),
  },
  {
    title: 'SCALE out of a cluster',
    operation: 'SCALE',
    on: [CLUSTER_CHANGED, CLUSTER_OF_MASTERS, CLUSTER_APART, WITH_STORAGE, BY_KUBESPRAY],
    after: ['INSTANTIATE'],
    request: fixed({ type: 'SCALE_OUT', aspectId: 'worker_instance' }),
  },
  {
    title: 'SCALE in of a cluster',
    operation: 'SCALE',
    on: [CLUSTER_CHANGED, CLUSTER_OF_MASTERS, CLUSTER_APART, WITH_STORAGE, BY_KUBESPRAY],
    after: ['INSTANTIATE', 'SCALE out of a cluster'],
    request: fixed({ type: 'SCALE_IN', aspectId: 'worker_instance' }),
  },
  ...SCENES_OF_CONTAINERS,
  {
    title: 'HEAL of a worker',
    operation: 'HEAL',
    on: [CLUSTER_CHANGED, CLUSTER_OF_MASTERS, CLUSTER_APART, WITH_STORAGE, BY_KUBESPRAY],
    after: ['INSTANTIATE'],
    request: ({ instance }) => Promise.resolve({ cause: 'it hangs', vnfcInstanceId: [oneOf(instance, 'workerNode')] }),
  },
  {
    title: 'HEAL of an external load balancer',
    operation: 'HEAL',
    on: [BY_KUBESPRAY],
    after: ['INSTANTIATE'],
    request: ({ instance }) => Promise.resolve({ vnfcInstanceId: [oneOf(instance, 'externalLB')] }),
  },
  {
    title: 'HEAL of a whole cluster',
    operation: 'HEAL',
    on: [CLUSTER_CHANGED, CLUSTER_OF_MASTERS, CLUSTER_APART],
    after: ['INSTANTIATE'],
    request: fixed({}),
  },
  {
    title: 'HEAL of a master',
    operation: 'HEAL',
    on: [CLUSTER_OF_MASTERS, CLUSTER_APART],
    after: ['INSTANTIATE'],
    request: ({ instance }) => Promise.resolve({ vnfcInstanceId: [oneOf(instance, 'masterNode')] }),
  },
  {
    title: 'HEAL of the only master',
    operation: 'HEAL',
    on: [CLUSTER_CHANGED],
    after: ['INSTANTIATE'],
    request: ({ instance }) => Promise.resolve({ vnfcInstanceId: [oneOf(instance, 'masterNode')] }),
  },
  {
    title: 'SCALE out of masters',
    operation: 'SCALE',
    on: [CLUSTER_OF_MASTERS],
    after: ['INSTANTIATE'],
    request: fixed({ type: 'SCALE_OUT', aspectId: 'master_instance', numberOfSteps: 2 }),
  },
  {
    title: 'SCALE in of masters',
    operation: 'SCALE',
    on: [CLUSTER_OF_MASTERS],
    after: ['INSTANTIATE', 'SCALE out of masters'],
    request: fixed({ type: 'SCALE_IN', aspectId: 'master_instance', numberOfSteps: 2 }),
  },
  {
    title: 'HEAL of a storage server',
    operation: 'HEAL',
    on: [WITH_STORAGE],
    after: ['INSTANTIATE'],
    request: ({ instance }) =>
      Promise.resolve({
        vnfcInstanceId: [oneOf(instance, 'storage_server')],
        additionalParams: { tacker_extension_heal_include_block_storage: false },
      }),
  },
  {
    title: 'HEAL of a private registry',
    operation: 'HEAL',
    on: [PRIVATE_REGISTRY],
    after: ['INSTANTIATE'],
    request: ({ instance }) =>
      Promise.resolve({
        vnfcInstanceId: [oneOf(instance)],
        additionalParams: { tacker_extension_heal_include_block_storage: false },
      }),
  },
  {
    title: 'SCALE_TO_LEVEL, more of two aspects',
    operation: 'SCALE_TO_LEVEL',
    on: ['scaling'],
    after: ['INSTANTIATE'],
    request: fixed({ instantiationLevelId: 'wide' }),
  },
  {
    title: 'SCALE_TO_LEVEL, more of one aspect and less of another',
    operation: 'SCALE_TO_LEVEL',
    on: ['scaling'],
    after: ['INSTANTIATE', 'SCALE out'],
    request: fixed({
      scaleInfo: [
        { aspectId: 'pair', scaleLevel: 0 },
        { aspectId: 'worker', scaleLevel: 1 },
      ],
    }),
  },
  {
    title: 'HEAL of every VM',
    operation: 'HEAL',
    on: ['simple-vm'],
    after: ['INSTANTIATE'],
    request: fixed({ cause: 'it hangs', additionalParams: { all: false } }),
  },
  {
    title: 'HEAL of the whole',
    operation: 'HEAL',
    on: ['simple-vm', SHARING],
    after: ['INSTANTIATE'],
    request: fixed({}),
  },
  {
    title: 'HEAL of a named VNFC',
    operation: 'HEAL',
    on: ['scaling', 'scripted'],
    after: ['INSTANTIATE', 'SCALE out'],
    request: ({ instance }) => Promise.resolve({ cause: 'it hangs', vnfcInstanceId: [oneOf(instance)] }),
  },
  {
    title: 'OPERATE to stop',
    operation: 'OPERATE',
    on: ['simple-vm'],
    after: ['INSTANTIATE'],
    request: fixed({ changeStateTo: 'STOPPED' }),
  },
  {
    title: 'OPERATE to start',
    operation: 'OPERATE',
    on: ['simple-vm'],
    after: ['INSTANTIATE', 'OPERATE to stop'],
    request: fixed({ changeStateTo: 'STARTED' }),
  },
  {
    title: 'OPERATE of two VNFCs, gracefully',
    operation: 'OPERATE',
    on: ['scaling'],
    after: ['INSTANTIATE'],
    request: ({ instance }) =>
      Promise.resolve({
        changeStateTo: 'STOPPED',
        stopType: 'GRACEFUL',
        gracefulStopTimeout: 0,
        vnfcInstanceId: vnfcIdsOf(instance).slice(0, 2),
      }),
  },
  {
    title: 'CHANGE_EXT_CONN',
    operation: 'CHANGE_EXT_CONN',
    on: ['simple-vm'],
    after: ['INSTANTIATE'],
    movesPorts: true,
    request: fixed({
      extVirtualLinks: [
        {
          id: 'other',
          resourceId: 'net1',
          extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
        },
      ],
    }),
  },
  {
    title: 'CHANGE_EXT_CONN of a cluster’s workers',
    operation: 'CHANGE_EXT_CONN',
    on: [CLUSTER_CHANGED],
    after: ['INSTANTIATE'],
    movesPorts: true,
    request: fixed({
      extVirtualLinks: [
        {
          id: 'other',
          resourceId: 'net1',
          extCps: [{ cpdId: 'workerNode_CP2', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
        },
      ],
    }),
  },
  {
    title: 'MODIFY_INFO',
    operation: 'MODIFY_INFO',
    on: ['simple-vm'],
    after: [],
    request: fixed({ vnfInstanceName: 'another', metadata: { a: 'b' } }),
  },
  {
    title: 'CLEAN_UP of what a failed instantiation left, after its deletion',
    internal: 'CLEAN_UP',
    on: ['simple-vm', SHARING],
    after: [],
    again: true,
    begin: async (world) => {
      await failed(world, 'INSTANTIATE', 'after-effect of read-stack');
      const { id, tenant, leftovers } = world.instance;
      if (leftovers === null) throw new Error('the instantiation left nothing');
      // DELETE removes the row so (apps/lcm-api/src/instances/vnf-instances.ts).
      world.store.instances.delete(id);
      // The end of the last reference to a shared image begins another clean-up, which needs the VIM.
      const vims = world.sample.sharesImages === true ? [] : [VIM];
      const subject = cleanUpOf({ ...leftovers, vims }, { choice: leftovers.vim });
      return world.beginInternal({ kind: 'CLEAN_UP', tenant, vnfInstanceId: id, vimId: VIM, subject });
    },
  },
  {
    title: 'CLEAN_UP of objects that a failed instantiation left',
    internal: 'CLEAN_UP',
    on: ['cnf'],
    after: [],
    again: true,
    begin: async (world) => {
      await failed(world, 'INSTANTIATE', 'after-effect of read-objects');
      const { id, tenant, leftovers } = world.instance;
      if (leftovers === null) throw new Error('the instantiation left nothing');
      world.store.instances.delete(id);
      const subject = cleanUpOf(leftovers, { choice: leftovers.vim });
      return world.beginInternal({ kind: 'CLEAN_UP', tenant, vnfInstanceId: id, vimId: CLUSTER_VIM, subject });
    },
  },
  {
    title: 'REFRESH of what a failed termination left on a cluster',
    internal: 'REFRESH',
    on: ['cnf'],
    after: ['INSTANTIATE'],
    again: true,
    begin: async (world) => {
      await failed(world, 'TERMINATE', 'after-effect of delete-objects');
      const [refresh] = [...world.store.internals.values()].filter(({ kind }) => kind === 'REFRESH');
      if (refresh === undefined) throw new Error('the failed termination began no refresh');
      world.journal.pass(minutes(1));
      return refresh.id;
    },
  },
  {
    title: 'REFRESH of what a failed heal left',
    internal: 'REFRESH',
    on: ['simple-vm'],
    after: ['INSTANTIATE'],
    again: true,
    begin: async (world) => {
      await failed(world, 'HEAL of every VM', 'after-effect of replace-servers');
      const [refresh] = [...world.store.internals.values()].filter(({ kind }) => kind === 'REFRESH');
      if (refresh === undefined) throw new Error('the failed heal began no refresh');
      // An audit reports nothing that has just changed.
      world.journal.pass(minutes(1));
      return refresh.id;
    },
  },
  {
    title: 'AUDIT that removes what nobody owns',
    internal: 'AUDIT',
    on: ['simple-vm'],
    after: ['INSTANTIATE'],
    again: false,
    begin: (world) => {
      const { id, tenant } = world.instance;
      // The row is lost, as in a restored database. An audit reports nothing that has just changed.
      world.store.instances.delete(id);
      world.journal.pass(minutes(1));
      const vims = [{ id: VIM, name: 'lab', vim: { choice: { vimId: VIM, connectionId: VIM } } }];
      return world.beginInternal({ kind: 'AUDIT', tenant, vnfInstanceId: null, vimId: null, subject: { vims, fix: true } });
    },
  },
  {
    title: 'SNAPSHOT by the schedule',
    internal: 'SNAPSHOT',
    on: ['kubernetes'],
    after: ['INSTANTIATE'],
    again: false,
    begin: (world) => {
      const { id, tenant } = world.instance;
      const subject = { driver: 'mgmt-drivers-kubernetes' };
      return world.beginInternal({ kind: 'SNAPSHOT', tenant, vnfInstanceId: id, vimId: null, subject });
    },
  },
];

/** Accepts the operation, or begins the saga. Returns the id. */
export const begin = async (world: World, scene: Scene): Promise<string> =>
  'internal' in scene ? scene.begin(world) : world.accept(scene.operation, await scene.request(world));

/** Plays the operation of a scene until it fails at a point, and marks the operation as failed. */
async function failed(world: World, title: string, point: string): Promise<void> {
  const id = await begin(world, sceneTitled(title));
  world.points = new CrashPoints(point, 'failure');
  await world.settle(id);
  world.points = new CrashPoints(undefined);
  await world.ask(id, 'abandon');
}

const vnfcIdsOf = ({ instantiated }: VnfInstanceRecord, vduId?: string): string[] =>
  (instantiated?.vnfcs ?? []).filter((vnfc) => vduId === undefined || vnfc.vduId === vduId).map(({ id }) => id);

const oneOf = (instance: VnfInstanceRecord, vduId?: string): string => {
  const [id] = vnfcIdsOf(instance, vduId);
  if (id === undefined) throw new Error('the instance has no VNFC');
  return id;
};

/** The operations and internal sagas without a scene. */
export const withoutScene = (kinds: readonly string[]): string[] =>
  kinds.filter((kind) => !SCENES.some((scene) => ('internal' in scene ? scene.internal : scene.operation) === kind));

export const scenesOn = (sample: string): readonly Scene[] => SCENES.filter(({ on }) => on.includes(sample));

/** The scene of a title. @throws Error when there is none */
export function sceneTitled(title: string): Scene {
  const scene = SCENES.find((each) => each.title === title);
  if (scene === undefined) throw new Error(`there is no scene "${title}"`);
  return scene;
}
