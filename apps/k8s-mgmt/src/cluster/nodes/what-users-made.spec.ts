import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { bench } from '../../testing/bench.js';
import { FakeMasters } from '../../testing/fake-masters.js';
import { healed, PARAMS, plainParams, vnfc } from '../../testing/requests.js';

const VIP = { name: 'vip_CP', resourceId: 'port-vip', addresses: ['10.10.0.9'], floatingIp: null };
const vnfcs = [...[24, 25, 26].map((n) => vnfc('master', n, `10.10.0.${n}`)), vnfc('worker', 31, '10.10.0.31')];
const TOKEN = 'users0.0123456789abcdef';
const OWNER = 'owner0.0123456789abcdef';
const CERTIFICATES: JsonObject = {
  metadata: { name: 'kubeadm-certs', ownerReferences: [{ kind: 'Secret', name: 'bootstrap-token-owner0' }] },
  data: { 'ca.crt': 'sealed by the key of a user' },
};

/** A cluster that stands, where a user has made a token and uploaded certificates for masters. */
async function used(certificates = true) {
  const world = new FakeMasters();
  const params = plainParams();
  (params[PARAMS] as Record<string, JsonObject>).master_node!.cluster_cp_name = 'vip_CP';
  const operation = (hook: Partial<HookContext>) =>
    bench({ world, params, requestParams: {}, hook: { vnfcs, sharedCps: [VIP], operationId: hook.hook ?? 'made', ...hook } });
  await operation({}).runner.run();
  expect([...world.tokens.keys()], 'tokens of the installation').toEqual([]);
  expect([...world.api!.keys()].filter((key) => key.includes('certificates') || key.includes('certs'))).toEqual([]);
  world.keepToken(TOKEN, 'of an automation of the user');
  if (certificates) {
    world.keepToken(OWNER, 'Proxy for managing TTL for the kubeadm-certs secret');
    world.api!.set('secret/kubeadm-certs', structuredClone(CERTIFICATES));
  }
  const heal = async (): Promise<void> => {
    await operation(healed('heal_start', ['master-25', 'worker-31'])).runner.run();
    for (const id of ['server-master-25', 'server-worker-31']) world.destroy(id);
    await operation(healed('heal_end', ['master-25', 'worker-31'])).runner.run();
  };
  return { world, heal, operation };
}

describe('tokens and certificates that a user made in a cluster', () => {
  it('are there after a heal of a master and a worker, and nothing of the heal’s is', async () => {
    const { world, heal } = await used();
    await heal();
    expect([...world.tokens.values()].sort()).toEqual([OWNER, TOKEN].sort());
    expect(world.api!.get('secret/kubeadm-certs')).toMatchObject(CERTIFICATES);
    expect(world.api!.has('secret/windlass-certificates-before')).toBe(false);
    expect([...world.listed.keys()].sort()).toEqual(['master24', 'master25', 'master26', 'worker31']);
  });

  it('may be none: no certificates are left by a heal', async () => {
    const { world, heal } = await used(false);
    await heal();
    expect([...world.tokens.values()]).toEqual([TOKEN]);
    expect([...world.api!.keys()].filter((key) => key.includes('cert'))).toEqual([]);
  });

  it.each([
    ['before it brought them', {}, []],
    ['once more, with an upload each', { tokens: encoded(['bootstrap-token-owner0']) }, ['ours01.0123456789abcdef']],
  ])('come back when the tokens are revoked, where the worker of the join died %s', async (_when, said, others) => {
    const { world, operation } = await used();
    const before = encoded({ apiVersion: 'v1', kind: 'Secret', ...CERTIFICATES });
    world.api!.set('secret/windlass-certificates-before', { metadata: {}, data: { before, ...said } });
    for (const token of others) world.keepToken(token, 'Proxy for managing TTL for the kubeadm-certs secret');
    world.keepToken('ours00.0123456789abcdef', 'Proxy for managing TTL for the kubeadm-certs secret');
    const ours = [{ kind: 'Secret', name: 'bootstrap-token-ours00' }];
    world.api!.set('secret/kubeadm-certs', { metadata: { ownerReferences: ours }, data: { 'ca.crt': 'sealed by our key' } });
    world.keepToken('joins0.0123456789abcdef', 'Windlass: for one node to join');
    const { runner } = operation(healed('heal_end', ['worker-31']));
    expect(await runner.action('revoke-join-tokens').check?.(runner.runOf('revoke-join-tokens', { input: named(runner) }))).toBe(
      false,
    );
    for (let n = 1; n <= 2; n += 1)
      await runner
        .action('revoke-join-tokens')
        .apply(runner.runOf('revoke-join-tokens', { input: named(runner), epoch: n, attemptEpoch: n }));
    expect([...world.tokens.keys()].sort()).toEqual(['owner0', 'users0']);
    expect(world.api!.get('secret/kubeadm-certs')).toMatchObject(CERTIFICATES);
  });
});

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** The step's input, as if `name-nodes` had said how nodes are called. */
function named(runner: ReturnType<typeof bench>['runner']): JsonObject {
  runner.outputs.set('name-nodes', {
    nodes: vnfcs.map(({ cps }) => ({ name: 'a', role: 'master', address: cps[0]!.addresses[0]! })),
  });
  return runner.runOf('revoke-join-tokens').input as JsonObject;
}
