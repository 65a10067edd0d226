import { compilePlan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { byKeyAlone, KEY } from '../testing/parameter-table.js';
import { guideParams, INSTANCE, plainParams, script, vnfc } from '../testing/requests.js';

const graph = (options: Parameters<typeof bench>[0]): string[] =>
  compilePlan(bench(options).plan).steps.map(
    ({ id, deps, limitKeys }) => `${id} after [${deps.join(' ')}] within [${limitKeys.join(' ')}]`,
  );

describe('the plan of a cluster', () => {
  it('prepares nodes side by side, and lets nobody join before the master has a network', () => {
    expect(graph({ workers: 2 })).toMatchInlineSnapshot(`
      [
        "inspect-nodes after [] within [host:server-master-1 host:server-worker-1 host:server-worker-2]",
        "prepare-node:master24 after [inspect-nodes] within [host:server-master-1]",
        "install-runtime:master24 after [prepare-node:master24] within [host:server-master-1]",
        "install-kubernetes:master24 after [install-runtime:master24] within [host:server-master-1]",
        "init-control-plane:master24 after [install-kubernetes:master24] within [host:server-master-1]",
        "install-network after [init-control-plane:master24] within []",
        "prepare-node:worker31 after [inspect-nodes] within [host:server-worker-1]",
        "install-runtime:worker31 after [prepare-node:worker31] within [host:server-worker-1]",
        "install-kubernetes:worker31 after [install-runtime:worker31] within [host:server-worker-1]",
        "join-worker:worker31 after [install-kubernetes:worker31 install-network] within [host:server-worker-1]",
        "prepare-node:worker32 after [inspect-nodes] within [host:server-worker-2]",
        "install-runtime:worker32 after [prepare-node:worker32] within [host:server-worker-2]",
        "install-kubernetes:worker32 after [install-runtime:worker32] within [host:server-worker-2]",
        "join-worker:worker32 after [install-kubernetes:worker32 install-network] within [host:server-worker-2]",
        "verify-cluster after [install-network join-worker:worker31 join-worker:worker32] within []",
        "remove-probes after [verify-cluster] within []",
        "revoke-join-tokens after [remove-probes] within []",
        "list-certificates after [revoke-join-tokens] within []",
        "keep-snapshot after [list-certificates] within [host:server-master-1]",
        "create-admin-account after [keep-snapshot] within []",
        "register-vim after [create-admin-account] within []",
      ]
    `);
  });

  it('runs a packaged script once a node, the master first, and hands what it printed to the workers', () => {
    expect(graph({ workers: 1, hook: { files: [script('#!/bin/bash')] } })).toMatchInlineSnapshot(`
      [
        "run-install-script:master24 after [] within [host:server-master-1]",
        "run-install-script:worker31 after [run-install-script:master24] within [host:server-worker-1]",
        "verify-cluster after [run-install-script:worker31] within []",
        "remove-probes after [verify-cluster] within []",
        "revoke-join-tokens after [remove-probes] within []",
        "list-certificates after [revoke-join-tokens] within []",
        "keep-snapshot after [list-certificates] within [host:server-master-1]",
        "create-admin-account after [keep-snapshot] within []",
        "register-vim after [create-admin-account] within []",
      ]
    `);
  });

  it('names VNFCs and sources, and holds neither secret nor address to log in to', () => {
    const { plan } = bench({ params: guideParams() });
    const text = JSON.stringify(plan);
    for (const secret of ['password1', 'password2', 'user1']) expect(text).not.toContain(secret);
    expect(text).toContain('"$from":"vnfc:worker-1"');
    expect(text).toContain('/k8s_cluster_installation_param/worker_node/password');
    expect(plan.common).toMatchObject({
      instance: INSTANCE,
      cluster: {
        address: '10.10.0.24',
        serviceCidr: '10.199.187.0/24',
        noProxy: expect.stringContaining(
          '192.168.246.0/24,10.0.0.1,192.168.3.0/16,10.199.187.0/24,127.0.0.1,localhost,10.10.0.24,10.10.0.31',
        ) as string,
      },
    });
  });

  it('points at what the login has, password or key, and holds nothing of it', () => {
    const text = JSON.stringify(bench({ params: byKeyAlone() }).plan);
    for (const node of ['master_node', 'worker_node'])
      for (const name of ['private_key', 'passphrase']) expect(text).toContain(`/${node}/${name}"`);
    expect(text).not.toMatch(/_node\/password"/);
    for (const line of [KEY.passphrase, ...KEY.secretLines]) expect(text).not.toContain(line);
    expect(JSON.stringify(bench({ params: guideParams() }).plan)).not.toMatch(/private_key|passphrase/);
  });

  it('is the same however often it is made', () => {
    expect(bench().plan).toEqual(bench().plan);
  });

  it('gives an instantiation nothing to undo but the VIM: its VMs go as a whole', () => {
    const undoable = compilePlan(bench().plan).steps.filter(({ traits }) => traits.undoable !== false);
    expect(undoable.map(({ id }) => id)).toEqual(['register-vim']);
  });

  it('looks for users of the cluster before the VMs go, and takes it out of the registry after', () => {
    expect(graph({ hook: { hook: 'terminate_start' } })).toEqual(['check-vim-unused after [] within []']);
    expect(graph({ hook: { hook: 'terminate_end' } })).toEqual(['deregister-vim after [] within []']);
  });

  it('reaches the API by the floating IP from outside, and still by the address inside', () => {
    const master = vnfc('master', 1, '10.10.0.24');
    master.cps[0]!.floatingIp = '203.0.113.7';
    const { plan } = bench({ hook: { vnfcs: [master] } });
    expect(plan.common).toMatchObject({ cluster: { address: '10.10.0.24', publicAddress: '203.0.113.7' } });
    expect(JSON.stringify(plan)).toContain('"authUrl":"https://203.0.113.7:6443"');
  });

  it.each([
    ['cluster.no-address', [vnfc('master', 1, '10.10.0.24'), vnfc('master', 2, '10.10.0.25')]],
    ['cluster.no-master', [vnfc('worker', 1, '10.10.0.24')]],
    ['cluster.no-address', [vnfc('master', 1, 'fd00::1')]],
    ['cluster.addresses-overlap', [vnfc('master', 1, '192.168.1.7')]],
    ['cluster.same-address', [vnfc('master', 1, '10.10.0.24'), vnfc('worker', 1, '10.10.0.31'), vnfc('worker', 2, '10.10.0.31')]],
  ])('is refused with %s', (code, vnfcs) => {
    expect(() => bench({ hook: { vnfcs } })).toThrow(expect.objectContaining({ code }));
  });

  it('names nodes after the last octet, and later ones after more where an earlier one has that name', () => {
    const vnfcs = [
      vnfc('master', 1, '10.10.0.24'),
      vnfc('worker', 1, '10.12.1.24'),
      vnfc('worker', 2, '10.10.1.24'),
      vnfc('worker', 3, '10.11.1.24'),
    ];
    const { runner } = bench({ params: plainParams(), hook: { vnfcs } });
    const names = runner.steps.filter(({ action }) => action === 'prepare-node').map(({ target }) => target);
    expect(names).toEqual(['master24', 'worker24', 'worker1-24', 'worker11-1-24']);
  });
});
