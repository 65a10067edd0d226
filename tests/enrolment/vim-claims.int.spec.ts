import { seconds, type JsonObject } from '@windlass/foundation';
import {
  ClaimAsker,
  ClaimVimClient,
  clusterAad,
  CoreKeys,
  defineContract,
  hostKeyContract,
  keepSnapshotContract,
  NatsHostKeys,
  proofOf,
  publicKey,
  readSnapshotContract,
  registerClusterContract,
  removeClusterContract,
  RequestServer,
  seal,
  showClusterContract,
  VIM_REGISTRY_KEYS,
  type ClaimedReply,
  type ClaimedRequest,
  type Contract,
  type HostKeyReply,
  type SealedBox,
} from '@windlass/messaging';
import { clusterVimId } from '@windlass/mgmt-driver';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesApi, type KubernetesApi } from './support/kubernetes-api.js';
import { VimScene, type ClaimedStep, type Worker } from './support/vim-scene.js';

let scene: VimScene;
let api: KubernetesApi;
let k8s: Worker;

beforeAll(async () => {
  scene = await VimScene.start();
  [api, k8s] = await Promise.all([startKubernetesApi(), scene.worker()]);
});

afterAll(async () => {
  await api.close();
  await scene.close();
});

const KEY = `ssh-ed25519 ${Buffer.from('the machine’s own').toString('base64')}`;
const OTHER_KEY = `ssh-ed25519 ${Buffer.from('somebody else’s').toString('base64')}`;

/** A snapshot that is announced. */
const SNAPSHOT = { sha256: 'a'.repeat(64), size: 10, master: '10.10.0.24' };

const cluster = (name: string, more: JsonObject = {}) => ({
  name,
  description: 'a cluster',
  auth_url: api.url,
  auth_cred: { bearer_token: api.token, ssl_ca_cert: api.ca },
  ...more,
});

const sealedTo = (text: object, aad: string): SealedBox =>
  seal(publicKey(new CoreKeys(scene.bench.masterKeys, VIM_REGISTRY_KEYS).publicX), Buffer.from(JSON.stringify(text)), aad);

const vimOf = ({ vnfInstanceId }: Pick<ClaimedStep, 'vnfInstanceId'>): Promise<JsonObject[]> =>
  scene.rows('SELECT tenant, name, type, is_default FROM vim.vim WHERE id = $1', [clusterVimId(vnfInstanceId)]);

const pinsOf = ({ server }: Pick<ClaimedStep, 'server'>): Promise<JsonObject[]> =>
  scene.rows(
    'SELECT key, tenant, vnf_instance_id, vnfc_id, operation_id, service, key_id FROM lcm.host_key WHERE resource_id = $1',
    [server],
  );

const snapshotsOf = ({ vnfInstanceId }: Pick<ClaimedStep, 'vnfInstanceId'>): Promise<JsonObject[]> =>
  scene.rows('SELECT sha256 FROM lcm.cluster_snapshot WHERE vnf_instance_id = $1', [vnfInstanceId]);

const entriesOf = ({ operationId }: ClaimedStep): Promise<JsonObject[]> =>
  scene.rows(
    `SELECT tenant, actor, roles, method, resource, vnf_instance_id, detail FROM lcm.audit_trail WHERE operation_id = $1 ORDER BY id`,
    [operationId],
  );

const within = { within: seconds(30) };

/** Everything that a claim may ask, with what must be refused of each. */
const asks: Record<string, (worker: Worker, claim: ClaimedStep) => Promise<unknown>> = {
  'register-cluster': ({ clusters }, claim) => clusters.register(claim, cluster(`cluster-${claim.vnfInstanceId}`)),
  'show-cluster': ({ clusters }, claim) => clusters.show(claim),
  'remove-cluster': ({ clusters }, claim) => clusters.remove(claim),
  'keep-snapshot': ({ clusters }, claim) => clusters.keepSnapshot(claim, SNAPSHOT),
  'host-key read': ({ hostKeys }, claim) => hostKeys.get(claim.server, claim),
  'host-key pin': ({ hostKeys }, claim) => hostKeys.pin(claim.server, KEY, claim),
};

describe.each(Object.entries(asks))('what a claim may ask: %s', (_verb, ask) => {
  const changes = async (claim: ClaimedStep): Promise<unknown[]> => [
    ...(await vimOf(claim)),
    ...(await pinsOf(claim)),
    ...(await snapshotsOf(claim)),
  ];

  it('is answered while the claim is held', async () => {
    const claim = await scene.claimed(k8s);
    await ask(k8s, claim);
  });

  it('is refused where the lease was lost to another', async () => {
    const claim = await scene.claimed(k8s);
    await scene.rows(`UPDATE lcm.step SET epoch = epoch + 1 WHERE operation_id = $1 AND id = 'first'`, [claim.operationId]);
    await expect(ask(k8s, claim)).rejects.toMatchObject({ code: 'claim.not-held' });
    expect(await changes(claim)).toEqual([]);
  });

  it('is refused where the step is over', async () => {
    const claim = await scene.claimed(k8s);
    await scene.rows(`UPDATE lcm.step SET state = 'done' WHERE operation_id = $1 AND id = 'first'`, [claim.operationId]);
    await expect(ask(k8s, claim)).rejects.toMatchObject({ code: 'claim.not-held' });
    expect(await changes(claim)).toEqual([]);
  });

  it('is refused once the key was revoked', async () => {
    const revoked = await scene.worker();
    const claim = await scene.claimed(revoked);
    await scene.bench.enrolments.revokeKey(revoked.enrolment.keys.public.id);
    await expect(ask(revoked, claim)).rejects.toMatchObject({ code: 'claim.key-not-enrolled' });
    expect(await changes(claim)).toEqual([]);
  });

  it('is not for infra-driver’s NATS user, claim or no claim', async () => {
    const infra = await scene.worker('infra-driver');
    const claim = await scene.claimed(k8s);
    const { client } = infra;
    const { coordinator } = k8s;
    const thief = { ...k8s, clusters: new ClaimVimClient(client, coordinator), hostKeys: new NatsHostKeys(client, coordinator) };
    await expect(ask(thief, claim)).rejects.toMatchObject({ code: 'messaging.forbidden' });
  });
});

/** The bodies of what a claim may ask, for those who speak without its secret. */
type Ask = [Contract<ClaimedRequest<never>, ClaimedReply<unknown>>, (claim: ClaimedStep) => object];
const bodies = [
  [registerClusterContract, (claim: ClaimedStep) => ({ sealed: sealedTo(cluster('forged'), clusterAad(claim)) })],
  [showClusterContract, () => ({})],
  [removeClusterContract, () => ({})],
  [keepSnapshotContract, () => SNAPSHOT],
  [readSnapshotContract, () => ({ number: 0 })],
  [hostKeyContract, ({ server }: ClaimedStep) => ({ resourceId: server, key: OTHER_KEY })],
] as unknown as Ask[];

describe.each(bodies)('$name', (contract, body) => {
  const say = (message: object): Promise<unknown> => k8s.client.request(contract, message as never, within);

  it('is refused with a proof that is guessed, or of another claim, verb or body', async () => {
    const [claim, other] = [await scene.claimed(k8s), await scene.claimed(k8s)];
    const { operationId, stepId, epoch } = claim;
    const holder = { operationId, stepId, epoch, service: 'k8s-mgmt', keyId: k8s.enrolment.keys.public.id };
    const type = `${contract.name}.request`;
    const data = { ...body(claim), ...holder };
    const refusal = { code: 'claim.not-proven', status: 403 };
    const guessed = proofOf(randomBytes(32).toString('base64url'), { kind: 'message', type, data });
    await expect(say({ ...data, proof: guessed })).rejects.toMatchObject(refusal);
    const ofAnother = k8s.coordinator.proven(other, type, body(claim));
    await expect(say({ ...ofAnother, operationId })).rejects.toMatchObject(refusal);
    const ofAnotherVerb = k8s.coordinator.proven(claim, 'vim-claim.key.request', body(claim));
    await expect(say(ofAnotherVerb)).rejects.toMatchObject(refusal);
    for (const [member, forged] of Object.entries({
      epoch: epoch + 1,
      stepId: 'second',
      service: 'storage-mgmt',
      keyId: 'A'.repeat(43),
    }))
      await expect(say({ ...k8s.coordinator.proven(claim, type, body(claim)), [member]: forged })).rejects.toMatchObject(refusal);
    expect([
      ...(await vimOf(claim)),
      ...(await pinsOf(claim)),
      ...(await snapshotsOf(claim)),
      ...(await entriesOf(claim)),
    ]).toEqual([]);
    expect(scene.log.reasons('a request for a claim was refused')).toContain('not-the-holder');
  });

  it('takes no project, instance or id that is smuggled in, although it is proven', async () => {
    const claim = await scene.claimed(k8s);
    // Our own client's check of the contract would stand before the registry's: it is gone around.
    const unchecked = defineContract<object, object>({ ...contract, request: { type: 'object' }, reply: { type: 'object' } });
    for (const smuggled of [{ tenant: 'victim' }, { vnfInstanceId: randomUUID() }, { id: randomUUID() }]) {
      const said = k8s.coordinator.proven(claim, `${contract.name}.request`, { ...body(claim), ...smuggled });
      await expect(k8s.client.request(unchecked, said, within)).rejects.toMatchObject({ code: 'messaging.undecodable' });
    }
    expect([...(await vimOf(claim)), ...(await pinsOf(claim))]).toEqual([]);
  });
});

describe('the cluster of an instance', () => {
  it('is registered, seen, used and removed by its own steps, in the project of its operation', async () => {
    const claim = await scene.claimed(k8s, { tenant: 'tenant-a', inDraft: true });
    const id = clusterVimId(claim.vnfInstanceId);
    expect(await k8s.clusters.show(claim)).toMatchObject({ vnfInstanceIds: [] });
    expect(await k8s.clusters.register(claim, cluster('mine'))).toEqual({ id, name: 'mine', auth_url: api.url });
    // A step that is taken over asks again.
    expect(await k8s.clusters.register(claim, cluster('mine'))).toMatchObject({ id });
    expect(await vimOf(claim)).toEqual([{ tenant: 'tenant-a', name: 'mine', type: 'kubernetes', is_default: false }]);
    expect(await k8s.clusters.show(claim)).toMatchObject({ vim: { id, name: 'mine' }, vnfInstanceIds: [] });
    await k8s.clusters.remove(claim);
    await k8s.clusters.remove(claim);
    expect(await vimOf(claim)).toEqual([]);
    const { id: keyId } = k8s.enrolment.keys.public;
    const entry = (verb: string) => ({
      tenant: 'tenant-a',
      actor: `k8s-mgmt ${keyId}`,
      roles: ['worker'],
      method: 'NATS',
      resource: `windlass.vim-claim.${verb}`,
      vnf_instance_id: claim.vnfInstanceId,
      detail: { step: 'first', vim: id },
    });
    expect(await entriesOf(claim)).toEqual([entry('register-cluster'), entry('remove-cluster')]);
    expect(JSON.stringify(await scene.rows('SELECT * FROM lcm.audit_trail'))).not.toContain(api.token);
  });

  it('is never a default, an OpenStack or of another id, whatever the sealed registration says', async () => {
    const claim = await scene.claimed(k8s);
    const other = randomUUID();
    const requested = cluster('greedy', { is_default: true, type: 'openstack', id: other, tenant: 'victim', extra: { a: 1 } });
    await k8s.clusters.register(claim, requested);
    expect(await vimOf(claim)).toEqual([{ tenant: 'default', name: 'greedy', type: 'kubernetes', is_default: false }]);
    expect(await scene.rows('SELECT id FROM vim.vim WHERE id = $1', [other])).toEqual([]);
  });

  it('is not that of another instance: neither seen nor removed, nor registered under its box', async () => {
    const [victim, claim] = [await scene.claimed(k8s), await scene.claimed(k8s)];
    await k8s.clusters.register(victim, cluster('victim'));
    expect(await k8s.clusters.show(claim)).not.toHaveProperty('vim');
    await k8s.clusters.remove(claim);
    expect(await vimOf(victim)).toHaveLength(1);
    const sealed = sealedTo(cluster('moved'), clusterAad(victim));
    const moved = k8s.coordinator.proven(claim, 'vim-claim.register-cluster.request', { sealed });
    await expect(k8s.client.request(registerClusterContract, moved, within)).rejects.toThrow(/does not open/);
    await expect(k8s.clusters.register(claim, cluster('victim'))).rejects.toMatchObject({ code: 'vim.name-taken' });
  });

  it.each([
    ['http', 'http://127.0.0.1:6443'],
    ['an address of nobody’s machine', 'https://127.0.0.2:6443'],
    ['a name', 'https://localhost:6443'],
    ['a user in the URL', 'https://127.0.0.1@127.0.0.3:6443'],
  ])('is not reached at %s: the registry speaks to no stranger', async (_what, url) => {
    const claim = await scene.claimed(k8s);
    const before = api.asked();
    const refused = k8s.clusters.register(claim, cluster('astray', { auth_url: url }));
    await expect(refused).rejects.toMatchObject({ code: 'vim.invalid', status: 400 });
    expect(api.asked()).toBe(before);
  });

  it('stands while another instance uses it', async () => {
    const [claim, user] = [await scene.claimed(k8s), await scene.claimed(k8s)];
    await k8s.clusters.register(claim, cluster('used'));
    const uses = `UPDATE lcm.vnf_instance SET instantiated = jsonb_build_object('vim', jsonb_build_object('vimId', $2::text)) WHERE id = $1`;
    await scene.rows(uses, [user.vnfInstanceId, clusterVimId(claim.vnfInstanceId)]);
    expect(await k8s.clusters.show(claim)).toMatchObject({ vnfInstanceIds: [user.vnfInstanceId] });
    await expect(k8s.clusters.remove(claim)).rejects.toMatchObject({ code: 'vim.in-use' });
    expect(await vimOf(claim)).toHaveLength(1);
  });
});

describe('a host key', () => {
  it('is pinned once, with whose machine it is and who pinned it, and stands', async () => {
    const claim = await scene.claimed(k8s);
    expect(await k8s.hostKeys.get(claim.server, claim)).toMatchObject({ keys: [], pinned: false });
    expect(await k8s.hostKeys.pin(claim.server, KEY, claim)).toBe(KEY);
    expect(await k8s.hostKeys.pin(claim.server, OTHER_KEY, claim)).toBe(KEY);
    expect(await k8s.hostKeys.get(claim.server, claim)).toMatchObject({ keys: [KEY], pinned: true });
    const { operationId, vnfInstanceId, server } = claim;
    const { id: keyId } = k8s.enrolment.keys.public;
    const whose = { tenant: 'default', vnf_instance_id: vnfInstanceId, vnfc_id: `vnfc-of-${server}` };
    expect(await pinsOf(claim)).toEqual([{ key: KEY, ...whose, operation_id: operationId, service: 'k8s-mgmt', key_id: keyId }]);
    expect(await entriesOf(claim)).toMatchObject([
      { actor: `k8s-mgmt ${keyId}`, resource: 'windlass.vim-claim.host-key', detail: { step: 'first', server } },
    ]);
  });

  it('of a server whose id another tenant’s VIM gives to a machine, too, is neither told to that tenant nor taken from this one', async () => {
    const victim = await scene.claimed(k8s);
    const hostile = await scene.claimed(k8s, { tenant: 'another', server: victim.server });
    expect(await k8s.hostKeys.pin(hostile.server, OTHER_KEY, hostile)).toBe(OTHER_KEY);
    expect(await k8s.hostKeys.get(victim.server, victim)).toMatchObject({ keys: [], pinned: false });
    expect(await k8s.hostKeys.pin(victim.server, KEY, victim)).toBe(KEY);
    expect(await k8s.hostKeys.get(victim.server, victim)).toMatchObject({ keys: [KEY], pinned: true });
    expect(await k8s.hostKeys.get(hostile.server, hostile)).toMatchObject({ keys: [OTHER_KEY], pinned: true });
    expect(await k8s.hostKeys.pin(hostile.server, KEY, hostile)).toBe(OTHER_KEY);
    const after = (await pinsOf(victim)).map(({ tenant, key }) => `${String(tenant)} ${String(key)}`);
    expect(after.sort()).toEqual([`another ${OTHER_KEY}`, `default ${KEY}`]);
    // What was pinned before a release kept whose machine it is, stands for whoever has it.
    const old = await scene.claimed(k8s);
    await scene.rows('INSERT INTO lcm.host_key (resource_id, key) VALUES ($1, $2)', [old.server, KEY]);
    expect(await k8s.hostKeys.get(old.server, old)).toMatchObject({ keys: [KEY], pinned: true });
  });

  it('of a server of another instance is neither told nor pinned', async () => {
    const [victim, claim] = [await scene.claimed(k8s), await scene.claimed(k8s)];
    const refusal = { code: 'host-key.foreign-server', status: 403 };
    await expect(k8s.hostKeys.pin(victim.server, OTHER_KEY, claim)).rejects.toMatchObject(refusal);
    await expect(k8s.hostKeys.get(victim.server, claim)).rejects.toMatchObject(refusal);
    await expect(k8s.hostKeys.pin(randomUUID(), OTHER_KEY, claim)).rejects.toMatchObject(refusal);
    expect(await pinsOf(victim)).toEqual([]);
  });

  it('of a server of the operator’s is pinned for the one instance that knows it by an id of its own, and stays while VNFCs come and go', async () => {
    const [claim, other] = [await scene.claimed(k8s), await scene.claimed(k8s)];
    const server = `${claim.vnfInstanceId}:192.0.2.10`;
    const refusal = { code: 'host-key.foreign-server', status: 403 };
    await expect(k8s.hostKeys.get(server, other)).rejects.toMatchObject(refusal);
    await expect(k8s.hostKeys.pin(`${claim.vnfInstanceId}192.0.2.10`, KEY, claim)).rejects.toMatchObject(refusal);
    expect(await k8s.hostKeys.pin(server, KEY, claim)).toBe(KEY);
    const instantiated = (vnfcs: string) =>
      scene.rows('UPDATE lcm.vnf_instance SET instantiated = $2::jsonb WHERE id = $1', [claim.vnfInstanceId, vnfcs]);
    await k8s.hostKeys.pin(claim.server, KEY, claim);
    await instantiated('{"vnfcs": [{"id": "another", "resourceId": "another"}]}');
    const pinned = () => scene.rows('SELECT resource_id FROM lcm.host_key WHERE vnf_instance_id = $1', [claim.vnfInstanceId]);
    expect(await pinned()).toEqual([{ resource_id: server }]);
    await scene.rows('UPDATE lcm.vnf_instance SET instantiated = NULL WHERE id = $1', [claim.vnfInstanceId]);
    expect(await pinned()).toEqual([]);
  });

  it('that is known beforehand is the only one that is taken: the first sight counts for nothing', async () => {
    const claim = await scene.claimed(k8s, { hostKeys: [KEY], inDraft: true });
    expect(await k8s.hostKeys.get(claim.server, claim)).toMatchObject({ keys: [KEY], pinned: false });
    await expect(k8s.hostKeys.pin(claim.server, OTHER_KEY, claim)).rejects.toMatchObject({
      code: 'host-key.not-known-beforehand',
    });
    expect(await pinsOf(claim)).toEqual([]);
    expect(await k8s.hostKeys.pin(claim.server, KEY, claim)).toBe(KEY);
  });

  it('is asked for again while a lease that ended may be renewed yet', async () => {
    const claim = await scene.claimed(k8s);
    const lease = (by: string) =>
      scene.rows(`UPDATE lcm.step SET lease_until = clock_timestamp() + $2::interval WHERE operation_id = $1`, [
        claim.operationId,
        by,
      ]);
    await lease('-1 s');
    const request = k8s.coordinator.proven(claim, 'vim-claim.host-key.request', { resourceId: claim.server });
    await expect(k8s.client.request(hostKeyContract, request, within)).rejects.toMatchObject({ code: 'claim.lease-over' });
    const waiting = k8s.hostKeys.get(claim.server, claim);
    await lease('60 s');
    expect(await waiting).toMatchObject({ pinned: false });
  });
});

describe('an answer to a claim', () => {
  it('that is not the registry’s is dropped, so nobody says that a host was never seen', async () => {
    const claim = await scene.claimed(k8s);
    await scene.stopRegistry();
    const link = await scene.bench.linkOf('vim-registry');
    const forger = new RequestServer(link, 'vim-registry', scene.log);
    const nothing = (): Promise<ClaimedReply<HostKeyReply>> =>
      Promise.resolve({ keys: [], pinned: false, proof: randomBytes(32).toString('base64url') });
    forger.serve(hostKeyContract, nothing);
    await link.flushed();
    const answer = new ClaimAsker(k8s.client, k8s.coordinator).ask(hostKeyContract, claim, { resourceId: claim.server });
    await expect(answer).rejects.toMatchObject({ code: 'messaging.not-proven' });
    await forger.drain();
  });
});
