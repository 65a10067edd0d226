import type { JsonObject } from '@windlass/foundation';
import { schemaFaults, type HookContext } from '@windlass/mgmt-driver';
import { privateKeyFault } from '@windlass/remote-host';
import { compilePlan, sequence } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { bench, type BenchOptions } from '../testing/bench.js';
import { KEY } from '../testing/parameter-table.js';
import {
  guideParams,
  healed,
  PARAMS,
  plainParams,
  scaled,
  script,
  storageServer,
  vnfc,
  withStorage,
  withVms,
} from '../testing/requests.js';
import { parameterSchema } from './parameters/parameters.js';

const vms = (workers = 1) => [
  vnfc('master', 1, '10.10.0.24'),
  ...Array.from({ length: workers }, (_, n) => vnfc('worker', n + 1, `10.10.0.${31 + n}`)),
  storageServer(),
];
const storageParams = (): JsonObject => withStorage(plainParams());
const storage = (hook: Partial<HookContext> = {}, more: BenchOptions = {}) =>
  bench({ params: storageParams(), hook: { ...withVms(vms()), ...hook }, ...more });
const graph = (made: ReturnType<typeof bench>): string[] =>
  compilePlan(made.plan).steps.map(
    ({ id, deps, limitKeys }) =>
      `${id} after [${deps.join(' ')}]${limitKeys.length === 0 ? '' : ` within [${limitKeys.join(' ')}]`}`,
  );
const idsOf = (made: ReturnType<typeof bench>): string[] => compilePlan(made.plan).steps.map(({ id }) => id);
const ofStorage = (ids: string[]): string[] => ids.filter((id) => /storage|volume|nfs/.test(id));
const without = (...names: string[]): JsonObject => {
  const params = storageParams();
  for (const name of names) Reflect.deleteProperty(params[PARAMS] as JsonObject, name);
  return params;
};

describe('a cluster with a storage server', () => {
  it('is installed while its server is set up, mounts NFS on every node, and registers PersistentVolumes when it stands', () => {
    expect(graph(storage())).toMatchInlineSnapshot(`
      [
        "check-volume-manifests after []",
        "inspect-nodes after [check-volume-manifests] within [host:server-master-1 host:server-worker-1]",
        "prepare-node:master24 after [inspect-nodes] within [host:server-master-1]",
        "install-runtime:master24 after [prepare-node:master24] within [host:server-master-1]",
        "install-kubernetes:master24 after [install-runtime:master24] within [host:server-master-1]",
        "install-nfs-client:master24 after [install-kubernetes:master24] within [host:server-master-1]",
        "init-control-plane:master24 after [install-nfs-client:master24] within [host:server-master-1]",
        "install-network after [init-control-plane:master24]",
        "prepare-node:worker31 after [inspect-nodes] within [host:server-worker-1]",
        "install-runtime:worker31 after [prepare-node:worker31] within [host:server-worker-1]",
        "install-kubernetes:worker31 after [install-runtime:worker31] within [host:server-worker-1]",
        "install-nfs-client:worker31 after [install-kubernetes:worker31] within [host:server-worker-1]",
        "join-worker:worker31 after [install-nfs-client:worker31 install-network] within [host:server-worker-1]",
        "set-up-storage after [check-volume-manifests] within [host:server-storage]",
        "verify-cluster after [install-network join-worker:worker31 set-up-storage]",
        "remove-probes after [verify-cluster]",
        "revoke-join-tokens after [remove-probes]",
        "list-certificates after [revoke-join-tokens]",
        "keep-snapshot after [list-certificates] within [host:server-master-1]",
        "try-nfs-mounts after [keep-snapshot]",
        "register-persistent-volumes after [try-nfs-mounts]",
        "create-admin-account after [register-persistent-volumes]",
        "register-vim after [create-admin-account]",
      ]
    `);
  });

  it('has nothing of it where the parameters have nothing', () => {
    expect(ofStorage(idsOf(bench()))).toEqual([]);
  });

  it('may have a server that no PersistentVolume is registered on, and PersistentVolumes of a server that is another’s', () => {
    expect(ofStorage(idsOf(storage({}, { params: without('pv_registration_params') })))).toEqual([
      'install-nfs-client:master24',
      'install-nfs-client:worker31',
      'set-up-storage',
    ]);
    const elsewhere = storage({}, { params: without('storage_server') });
    expect(ofStorage(idsOf(elsewhere))).toEqual([
      'check-volume-manifests',
      'install-nfs-client:master24',
      'install-nfs-client:worker31',
      'try-nfs-mounts',
      'register-persistent-volumes',
    ]);
    expect(JSON.stringify(compilePlan(elsewhere.plan).steps[0]!.input)).not.toContain('exported');
  });

  it('is no less one whose nodes a packaged script installs: they mount NFS when they are nodes', () => {
    expect(graph(storage({ files: [script('#!/bin/bash'), ...storage().context.files.slice(1)] })).slice(0, 6))
      .toMatchInlineSnapshot(`
        [
          "check-volume-manifests after []",
          "run-install-script:master24 after [check-volume-manifests] within [host:server-master-1]",
          "install-nfs-client:master24 after [run-install-script:master24] within [host:server-master-1]",
          "run-install-script:worker31 after [install-nfs-client:master24] within [host:server-worker-1]",
          "install-nfs-client:worker31 after [run-install-script:worker31] within [host:server-worker-1]",
          "set-up-storage after [check-volume-manifests] within [host:server-storage]",
        ]
      `);
  });

  it('has its steps take what storage-mgmt says that it takes: volumes by Cinder’s id, the server by its own login', async () => {
    const { runner, offered } = storage();
    await runner.run();
    expect(offered.inputsOf('set-up-storage')).toMatchObject([
      {
        machine: { name: 'vm-storage', vnfc: { resourceId: 'server-storage' }, sshCp: 'storage_server_CP', password: 'ubuntu' },
        volumes: [{ volumeId: 'f1c0a9be-2f0e-4a7c-9a34-8f1d1e7a1c11', device: '/dev/vdb', mountTo: '/volume' }],
        exports: [1, 2, 3].map((n) => ({ directory: `/volume/nfs/pv${n}`, to: '10.10.0.0/24' })),
      },
    ]);
    expect(offered.inputsOf('install-nfs-client').map(({ machine }) => (machine as JsonObject).name)).toEqual([
      'master24',
      'worker31',
    ]);
    expect(offered.inputsOf('check-volume-manifests')).toMatchObject([
      {
        manifests: [1, 2, 3].map((n) => ({ server: '10.10.0.50', file: { path: `Files/kubernetes/nfs-pv${n}.yaml` } })),
        exported: {
          servers: ['10.10.0.50'],
          mounts: ['/volume'],
          exports: [1, 2, 3].map((n) => ({ directory: `/volume/nfs/pv${n}`, to: '10.10.0.0/24' })),
          nodes: [
            { name: 'vm-master-1', addresses: ['10.10.0.24'] },
            { name: 'vm-worker-1', addresses: ['10.10.0.31'] },
          ],
        },
      },
    ]);
    expect(offered.inputsOf('try-nfs-mounts')).toMatchObject([
      { nodes: [{ address: '10.10.0.31', password: 'ubuntu' }, { address: '10.10.0.24' }], manifests: [{}, {}, {}] },
    ]);
    expect(offered.inputsOf('register-persistent-volumes')).toMatchObject([
      {
        masters: [{ address: '10.10.0.24' }],
        manifests: [1, 2, 3].map((n) => ({
          server: '10.10.0.50',
          file: { path: `Files/kubernetes/nfs-pv${n}.yaml`, sha256: 'cd'.repeat(32) },
        })),
      },
    ]);
  });

  it('hands proxies on by reference, and none of the parameters that are none', () => {
    const made = storage({}, { params: withStorage(guideParams()) });
    const text = JSON.stringify(compilePlan(made.plan).steps.filter(({ action }) => /nfs|storage/.test(action)));
    expect(text).toContain('/k8s_cluster_installation_param/proxy/http_proxy');
    expect(text).not.toMatch(/k8s_node_cidr|password1/);
  });

  it('logs in to its server by key, where the request has one, and holds nothing of it', () => {
    const params = storageParams();
    const { storage_server: server } = params[PARAMS] as Record<string, JsonObject>;
    delete server!.password;
    Object.assign(server!, { private_key: KEY.privateKey, passphrase: KEY.passphrase });
    const text = JSON.stringify(storage({}, { params }).plan);
    expect(text).toContain('/storage_server/private_key');
    expect(text).not.toContain('/storage_server/password');
    for (const line of [KEY.passphrase, ...KEY.secretLines]) expect(text).not.toContain(line);
  });

  it.each<[string, Partial<HookContext>, RegExp]>([
    ['cluster.no-storage-server', withVms(vms().slice(0, 2)), /no VM has the CP storage_server_CP/],
    [
      'cluster.no-storage-server',
      withVms([...vms(), storageServer({ id: 'other', name: 'vm-other' })]),
      /vm-storage and vm-other/,
    ],
    [
      'cluster.no-volume',
      withVms([...vms().slice(0, 2), storageServer({ volumes: [] })]),
      /no volume storage_server_volume; it has none/,
    ],
  ])('is refused with %s where the stack is not what the parameters say', (code, hook, message) => {
    expect(() => storage(hook)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) as string }));
  });

  it('is not undone with an instantiation: its VMs go as a whole', () => {
    const undoable = compilePlan(storage().plan).steps.filter(({ traits }) => traits.undoable !== false);
    expect(undoable.map(({ id }) => id)).toEqual(['register-vim']);
  });

  it('is terminated as any other is: the cluster goes, and nobody waits for its PersistentVolumes', () => {
    expect(idsOf(storage({ hook: 'terminate_start' }))).toEqual(['check-vim-unused']);
    expect(idsOf(storage({ hook: 'terminate_end' }))).toEqual(['deregister-vim']);
  });
});

describe('nodes of a cluster with a storage server', () => {
  it('mount NFS when a scaling brings them; those that were there are left alone', () => {
    expect(ofStorage(idsOf(storage({ ...scaled('scale_end'), ...withVms(vms(2)) })))).toEqual(['install-nfs-client:10.10.0.32']);
    expect(ofStorage(idsOf(storage({ ...scaled('scale_start'), ...withVms(vms(2)) })))).toEqual([]);
  });

  it('mount NFS when a heal brings them, and the storage server is left alone', () => {
    expect(ofStorage(idsOf(storage(healed('heal_start', ['worker-1']))))).toEqual([]);
    expect(ofStorage(idsOf(storage(healed('heal_end', ['worker-1']))))).toEqual(['install-nfs-client:10.10.0.31']);
  });
});

describe('the heal of a storage server', () => {
  it('looks whether PersistentVolumes are in use before it takes them away, and can give them back', () => {
    const made = storage(healed('heal_start', ['storage']));
    expect(graph(made)).toEqual(['check-volumes-unbound after []', 'remove-persistent-volumes after [check-volumes-unbound]']);
    const [check, remove] = compilePlan(made.plan).steps;
    expect([check!.traits.undoable, remove!.traits.undoable]).toEqual([false, undefined]);
  });

  it('sets the new server up, then registers the PersistentVolumes again, and touches no node', () => {
    const made = storage(healed('heal_end', ['storage']));
    expect(graph(made)).toEqual([
      'set-up-storage after [] within [host:server-storage]',
      'try-nfs-mounts after [set-up-storage]',
      'register-persistent-volumes after [try-nfs-mounts]',
    ]);
  });

  it('takes nothing away where nothing was registered', () => {
    const params = without('pv_registration_params');
    const { driver, context } = storage(healed('heal_end', ['storage']), { params });
    expect(driver.plan({ ...context, hook: 'heal_start' }).root).toEqual(sequence());
    expect(idsOf(storage(healed('heal_end', ['storage']), { params }))).toEqual(['set-up-storage']);
  });

  it('goes before nodes that are healed with it, and asks masters that stay', () => {
    const masters = [1, 2, 3].map((n) => vnfc('master', n, `10.10.0.${24 + n}`));
    const params = storageParams();
    (params[PARAMS] as Record<string, JsonObject>).master_node!.cluster_cp_name = 'vip_CP';
    const hook = (name: 'heal_start' | 'heal_end') => ({
      ...healed(name, ['storage', 'master-1']),
      ...withVms([...masters, ...vms().slice(1)]),
      sharedCps: [{ name: 'vip_CP', resourceId: 'port', addresses: ['10.10.0.5'], floatingIp: null }],
    });
    const start = storage(hook('heal_start'), { params });
    const [certificates, version, snapshot, ...after] = idsOf(start);
    expect([certificates, version, snapshot]).toEqual(['check-certificates', 'read-cluster-version', 'keep-snapshot']);
    expect(after.slice(0, 3)).toEqual(['check-volumes-unbound', 'remove-persistent-volumes', 'name-nodes']);
    const asked = JSON.stringify(compilePlan(start.plan).steps[0]!.input);
    expect(asked).not.toContain('vnfc:master-1');
    expect(asked).toContain('vnfc:master-2');
    expect(idsOf(storage(hook('heal_end'), { params })).at(-1)).toBe('register-persistent-volumes');
  });

  it('of the whole makes all of it anew, and its VMs are the new ones', () => {
    const whole = { whole: true, recreates: true };
    expect(idsOf(storage(healed('heal_start', ['storage', 'master-1', 'worker-1'], whole)))).toEqual(['check-vim-unused']);
    expect(idsOf(storage(healed('heal_end', ['gone'], whole)))).toEqual(['deregister-vim', ...idsOf(storage())]);
  });

  it('logs in by what its request gives, where that gives anything', () => {
    const requestParams = { storage_server_password: 'another' };
    const made = storage(healed('heal_end', ['storage']), { requestParams });
    expect(JSON.stringify(made.plan)).toContain('{"$from":"request-params","at":"/storage_server_password"}');
  });
});

describe('the sample body of the storage specification', () => {
  it('is well-formed as it stands there', () => {
    expect(schemaFaults(parameterSchema, withStorage(guideParams()), privateKeyFault)).toEqual([]);
  });
});
