import { seconds } from '@windlass/foundation';
import {
  boundVolumesContract,
  clusterAccessContract,
  clusterNodesContract,
  CoreKeys,
  deleteVimContract,
  KeyPair,
  listVimsContract,
  publicKey,
  registerVimContract,
  RequestClient,
  seal,
  showVimContract,
  updateVimContract,
  vimAad,
  VimAdministration,
  VimClient,
  vimNetworksContract,
  VIM_REGISTRY_KEYS,
  type Administrated,
  type Contract,
  type SealedBox,
  type TrailedRequest,
} from '@windlass/messaging';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VimScene, type Worker } from './support/vim-scene.js';

let scene: VimScene;
let k8s: Worker;
/** Of the project's administration, as lcm-api makes it. */
let administration: VimAdministration;
let lcmApi: RequestClient;

const request: TrailedRequest = {
  requestId: randomUUID(),
  actor: 'mallory',
  roles: ['admin'],
  remoteAddress: null,
  method: 'PUT',
  resource: '/v1.0/vims/x',
  status: 200,
};

beforeAll(async () => {
  scene = await VimScene.start();
  k8s = await scene.worker();
  administration = new VimAdministration(scene.bench.masterKeys);
  lcmApi = new RequestClient(await scene.bench.linkOf('lcm-api'));
});

afterAll(() => scene.close());

const sealedTo = (text: object, aad: string): SealedBox =>
  seal(publicKey(new CoreKeys(scene.bench.masterKeys, VIM_REGISTRY_KEYS).publicX), Buffer.from(JSON.stringify(text)), aad);

const within = { within: seconds(30) };

describe('administration of VIMs', () => {
  const id = randomUUID();
  const tenant = 'default';
  const sealed = (verb: 'register' | 'update') =>
    sealedTo({ auth_cred: { cert_verify: 'False' } }, vimAad(verb, tenant, verb === 'update' ? id : ''));
  type Verb = [Contract<Administrated<never>, unknown>, () => object];
  const verbs: Verb[] = [
    [registerVimContract, () => ({ tenant, sealed: sealed('register'), request })],
    [updateVimContract, () => ({ tenant, id, sealed: sealed('update'), request })],
    [deleteVimContract, () => ({ tenant, id, request })],
    [listVimsContract, () => ({ tenant })],
    [showVimContract, () => ({ tenant, id })],
    [vimNetworksContract, () => ({ tenant, id, names: ['net0'] })],
    [boundVolumesContract, () => ({ tenant, vnfInstanceId: id })],
    [clusterNodesContract, () => ({ tenant, vnfInstanceId: id })],
    [clusterAccessContract, () => ({ tenant, vnfInstanceId: id, sealTo: KeyPair.generate().public.x, request })],
  ] as unknown as Verb[];
  const signed = ([{ name }, body]: Verb, by: VimAdministration) => by.signed(`${name}.request`, body()) as never;

  it.each(verbs)('is not for k8s-mgmt’s NATS user, even with the right MAC: $name', async (...verb) => {
    await expect(k8s.client.request(verb[0], signed(verb, administration), within)).rejects.toMatchObject({
      code: 'messaging.forbidden',
    });
  });

  it.each(verbs)('needs the master key, even as lcm-api’s NATS user: $name', async (...verb) => {
    const refusal = { code: 'vim.not-administration', status: 403 };
    const thief = new VimAdministration([randomBytes(32)]);
    await expect(lcmApi.request(verb[0], signed(verb, thief), within)).rejects.toMatchObject(refusal);
    // A request that was overheard is no other request, and is not taken twice, nor later.
    const first = signed(verb, administration);
    await lcmApi.request(verb[0], first, within).catch((error: unknown) => expect(error).not.toMatchObject(refusal));
    await expect(lcmApi.request(verb[0], first, within)).rejects.toMatchObject(refusal);
    const other = { ...(signed(verb, administration) as object), tenant: 'other' } as never;
    await expect(lcmApi.request(verb[0], other, within)).rejects.toMatchObject(refusal);
    const late = new VimAdministration(scene.bench.masterKeys, () => Date.now() - seconds(61));
    await expect(lcmApi.request(verb[0], signed(verb, late), within)).rejects.toMatchObject(refusal);
  });

  it('of one verb is none of another', async () => {
    const shown = administration.signed('vim.show.request', { tenant, id, request }) as never;
    await expect(lcmApi.request(deleteVimContract, shown, within)).rejects.toMatchObject({ code: 'vim.not-administration' });
  });

  it('works for lcm-api, and nothing that was refused left a row or an entry', async () => {
    const found = await scene.rows('SELECT id FROM vim.vim');
    expect(found).toEqual([]);
    expect(await scene.rows(`SELECT id FROM lcm.audit_trail WHERE actor = 'mallory'`)).toEqual([]);
    const vims = new VimClient(lcmApi, scene.bench.masterKeys);
    expect(await vims.list({ tenant })).toEqual([]);
  });
});
