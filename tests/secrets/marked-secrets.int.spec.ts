import { randomBytes, randomUUID } from 'node:crypto';
import { schema } from '@windlass/driver-kit';
import { testKey } from '@windlass/driver-kit/testing';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { rowsOf, Vault, vimCredentialPlace } from '@windlass/persistence';
import { ServiceLog } from '@windlass/service-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStackVim } from '../support/openstack-vim.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { everyAnswer, everyColumn, expectNone } from './support/secret-search.js';

const DRIVER = 'mgmt-drivers-secretive';
const HOOKS = ['instantiate_start', 'instantiate_end', 'modify_information_start', 'scale_start'] as const;

/** Marks secrets whose names tell nothing, in every way that a schema has. */
const parameters: JsonObject = {
  type: 'object',
  properties: {
    pin: { type: 'string', writeOnly: true, pattern: '^[^!]*$' },
    community: { $ref: '#/$defs/hidden' },
    login: { type: 'object', writeOnly: true },
    nodes: { type: 'array', items: { anyOf: [{ properties: { phrase: { format: 'password' } } }] } },
    zones: { type: 'object', additionalProperties: { allOf: [{ $ref: '#/$defs/zone' }] } },
    quoted_by_heat: { writeOnly: true },
    port: { type: 'string' },
    machine: schema.machineOf('A machine', {}),
  },
  patternProperties: { '^x-': { writeOnly: true } },
  $defs: { hidden: { writeOnly: true }, zone: { properties: { salt: { writeOnly: true } } } },
};

const vnfdId = randomUUID();
/** By what it is; each is random and stands nowhere else. */
const secrets = new Map<string, string>();
const secret = (what: string): string => {
  const text = `${what.replaceAll(/\W+/g, '-')}-${randomBytes(9).toString('hex')}`;
  secrets.set(what, text);
  return text;
};

const written: string[] = [];
const heard: string[] = [];
const validated: JsonObject[] = [];
const answers: string[] = [];
let system: System;
let driver: TestDriver;
let vimId: string;
let url: string;
let request: JsonObject;

const bindings = HOOKS.map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`).join('');
const withHooks = (vnfd: string): string =>
  vnfd.replace('\n    VDU1:', `\n      interfaces:\n        Vnflcm:\n${bindings}    VDU1:`);
const withNumber = (top: string): string =>
  top.replace('parameters:\n', 'parameters:\n  quoted_by_heat: { type: number, default: 1 }\n');

async function registerVimWithSecrets(): Promise<string> {
  const lab = openStackVim('lab', system.emulator, { is_default: true });
  const unknown = {
    otp_seed: secret('an unknown member of auth_cred'),
    more: { deep: [secret('a structure in auth_cred')] },
  };
  const { data, status } = await system.api.post<{ vim: { id: string } }>('/v1.0/vims', {
    vim: {
      ...lab,
      auth_cred: { ...(lab.auth_cred as JsonObject), ...unknown },
      extra: { use_helm: 'no', helm_info: secret('helm_info of extra'), note: { deep: secret('a structure in extra') } },
    },
  });
  expect(status, JSON.stringify(data)).toBe(201);
  answers.push(JSON.stringify(data));
  return data.vim.id;
}

const KEY = testKey();
const machine = { username: 'ubuntu', private_key: KEY.privateKey };
for (const [index, line] of KEY.secretLines.entries()) secrets.set(`line ${index} of a private key`, line);

const paramsWith = (): JsonObject => ({
  machine,
  pin: secret('a member that is marked'),
  community: secret('a reference that is marked'),
  login: { user: secret('a structure that is marked'), list: [secret('a list in it')] },
  nodes: [{ phrase: secret('an element’s member'), name: 'node-1' }],
  zones: { a: { salt: secret('a member of a map') } },
  'x-any': secret('a member by a pattern'),
  bearerAuthToken: secret('a member whose name tells it'),
  proxy: `http://me:${secret('a password in a URL')}@proxy:3128`,
  port: '80',
});

const connection = (): JsonObject => {
  const { tenant, url: endpoint } = system.emulator;
  return {
    id: 'described',
    vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3',
    interfaceInfo: { endpoint },
    accessInfo: {
      username: tenant.user,
      password: tenant.password,
      project: tenant.project,
      otp: secret('an unknown member of accessInfo'),
    },
    extra: { note: secret('a member of a connection’s extra') },
  };
};

const eventually = (look: () => Promise<true | undefined>): Promise<true> =>
  waitUntil(look, { for: 'the cached descriptions to be read anew', within: seconds(20), every: millis(100) });

beforeAll(async () => {
  const log = new ServiceLog({
    service: 'all',
    version: '1',
    replica: 'all@1',
    level: 'trace',
    sink: { write: (line) => void written.push(line) },
  });
  system = await startSystem({ log });
  system.link.connection.subscribe('>', {
    callback: (_error, { subject, data }) => void heard.push(`${subject} ${Buffer.from(data).toString('latin1')}`),
  });
  vimId = await registerVimWithSecrets();
  driver = await startTestDriver(system, DRIVER, {
    parameters,
    hooks: [...HOOKS],
    // It repeats all that it was shown, in every way that it can.
    validate: ({ requestParams, instantiateParams }) => {
      validated.push(requestParams, instantiateParams);
      const told = JSON.stringify([requestParams, instantiateParams]);
      if (requestParams.port === 'wrong') return { invalidParams: [{ path: '/additionalParams/port', reason: told }] };
      return { warnings: [told], normalised: { ...requestParams, port: '8080' } };
    },
  });
  await onboardZip(system.api, scalingPackage(vnfdId, withHooks, withNumber));
  url = await createVnf(system.api, vnfdId, { metadata: { owner: 'me' } });
  request = { ...scalingRequest('net0'), additionalParams: paramsWith(), vimConnectionInfo: [connection()] };
});
afterAll(async () => {
  await driver.stop();
  await system.close();
});

const refused = async (params: JsonObject): Promise<string> => {
  const { status, data } = await system.api.post<unknown>(`${url}/instantiate`, { ...request, additionalParams: params });
  expect(status).toBe(400);
  answers.push(JSON.stringify(data));
  return JSON.stringify(data);
};

describe('secrets that only a schema or a list tells', () => {
  it('are not quoted when the request is refused, by the schema or by the driver', async () => {
    const params = request.additionalParams as JsonObject;
    expect(await refused({ ...params, pin: `!${secret('a value that the schema refuses')}` })).toContain('must match pattern');
    expect(await refused({ ...params, port: 'wrong' })).toContain('node-1');
    const half = { ...machine, private_key: KEY.privateKey.slice(0, 150) };
    expect(await refused({ ...params, machine: half })).toContain('/additionalParams/machine/private_key');
    expect(await refused({ ...params, machine: { username: 'ubuntu' } })).toContain('give password or private_key');
  });

  it('are kept as they were sent, although the driver answered with masks in their places', async () => {
    const op = await atRest(system.api, await system.api.post(`${url}/instantiate`, request));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const [row] = await rowsOf<{ request: Buffer }>(
      system.database.manager,
      'SELECT request FROM lcm.vnf_lcm_op_occ WHERE id = $1',
      [op.id],
    );
    const kept = new Vault(system.masterKeys).openJson(row!.request, `lcm.vnf_lcm_op_occ.request ${String(op.id)}`) as JsonObject;
    expect(kept.additionalParams).toEqual({ ...(request.additionalParams as JsonObject), port: '8080' });
  });

  it('are not quoted when Heat refuses one of them', async () => {
    const other = await createVnf(system.api, vnfdId);
    const params = { quoted_by_heat: secret('what Heat quotes') };
    const op = await atRest(system.api, await system.api.post(`${other}/instantiate`, { ...request, additionalParams: params }));
    expect(op).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect((op.error as JsonObject).detail).toContain(`quoted_by_heat`);
    expect((op.error as JsonObject).detail).toContain('***');
    await atRest(system.api, await system.api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/rollback`));
  });

  it('are not told by a modification that changes them', async () => {
    const changed = {
      ...connection(),
      accessInfo: { ...(connection().accessInfo as JsonObject), seed: secret('a changed accessInfo') },
    };
    const op = await atRest(system.api, await system.api.patch(url, { vimConnectionInfo: [changed] }));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    expect(JSON.stringify(op.changedInfo)).toContain('"seed":"***"');
  });

  it('stay in a VIM that is written back as it was shown', async () => {
    const { data } = await system.api.get<{ vim: JsonObject }>(`/v1.0/vims/${vimId}`);
    const { auth_cred: credentials, extra } = data.vim;
    const put = await system.api.put<{ vim: JsonObject }>(`/v1.0/vims/${vimId}`, {
      vim: { description: 'new', auth_cred: credentials, extra },
    });
    expect(put.status, JSON.stringify(put.data)).toBe(200);
    expect(put.data.vim).toMatchObject({ description: 'new', auth_cred: credentials as object, extra: extra as object });
    const [row] = await rowsOf<{ auth_cred: Buffer; extra_sealed: Buffer }>(system.database.manager, 'SELECT * FROM vim.vim');
    const vault = new Vault(system.masterKeys);
    const texts = [
      vault.open(row!.auth_cred, vimCredentialPlace(vimId)),
      vault.open(row!.extra_sealed, `vim.vim.extra ${vimId}`),
    ].join('');
    for (const what of [
      'an unknown member of auth_cred',
      'a structure in auth_cred',
      'helm_info of extra',
      'a structure in extra',
    ])
      expect(texts, what).toContain(secrets.get(what));
    expect(texts).toContain(system.emulator.tenant.password);
  });
});

describe('what an older release kept of a VIM in the clear', () => {
  it('is read, masked, and sealed by the next registry that starts', async () => {
    const old = { note: secret('a plain extra'), use_helm: 'yes' };
    await system.database.query('UPDATE vim.vim SET extra = $1, extra_sealed = NULL', [JSON.stringify(old)]);
    const shown = async () => (await system.api.get<{ vim: JsonObject }>(`/v1.0/vims/${vimId}`)).data.vim.extra;
    expect(await shown()).toEqual({ note: '***', use_helm: 'yes' });
    const registries = await Promise.all([system.startRegistry(), system.startRegistry()]);
    await Promise.all(registries.map((registry) => registry.stop()));
    expect(await shown()).toEqual({ note: '***', use_helm: 'yes' });
    const [row] = await rowsOf<{ extra: JsonObject; extra_sealed: Buffer }>(system.database.manager, 'SELECT * FROM vim.vim');
    expect(row?.extra).toEqual({});
    expect(new Vault(system.masterKeys).openJson(row!.extra_sealed, `vim.vim.extra ${vimId}`)).toEqual(old);
  });
});

describe('parameters', () => {
  const paramsOf = async (path: string): Promise<JsonObject> => (await system.api.get<JsonObject>(path)).data;
  const opOccPath = async (): Promise<string> => {
    const [row] = await rowsOf<{ id: string }>(
      system.database.manager,
      `SELECT id FROM lcm.vnf_lcm_op_occ WHERE operation = 'INSTANTIATE' AND operation_state = 'COMPLETED'`,
    );
    return `/vnflcm/v1/vnf_lcm_op_occs/${row?.id}`;
  };

  it('are not shown in what a careless worker said of a step, in views and events', async () => {
    const quoted = secrets.get('a member that is marked') ?? '';
    const id = (await opOccPath()).split('/').at(-1) ?? '';
    await system.database.query('UPDATE lcm.step SET progress = $2 WHERE operation_id = $1', [id, `doing it with ${quoted} now`]);
    for (const path of ['steps', 'events']) {
      const { data } = await system.api.get<unknown>(`/windlass/v1/operations/${id}/${path}`);
      expect(JSON.stringify(data)).toContain('doing it with *** now');
      expect(JSON.stringify(data)).not.toContain(quoted);
    }
    await system.database.query('UPDATE lcm.step SET progress = NULL WHERE operation_id = $1', [id]);
  });

  it('of an operation that an older release accepted are masked by all drivers that are known', async () => {
    await system.database.query(`UPDATE lcm.vnf_lcm_op_occ SET draft = draft - 'drivers'`);
    const shown = await paramsOf(await opOccPath());
    expect(shown.operationParams).toMatchObject({ additionalParams: { pin: '***', port: '8080' } });
    await system.database.query(`UPDATE lcm.vnf_lcm_op_occ SET draft = jsonb_set(draft, '{drivers}', $1)`, [
      JSON.stringify([DRIVER]),
    ]);
  });

  it('are masked whole within a second or so where nothing is known of their driver any more, and by its schema when it is back', async () => {
    const [kept] = await rowsOf<{ description: JsonObject }>(
      system.database.manager,
      'DELETE FROM lcm.driver RETURNING description',
    );
    const path = await opOccPath();
    const port = async (at: string, expected: string): Promise<true | undefined> => {
      const shown = JSON.stringify(await paramsOf(at));
      return shown.includes(`"port":"${expected}"`) ? true : undefined;
    };
    for (const at of [path, url]) await eventually(() => port(at, '***'));
    await system.database.query('INSERT INTO lcm.driver (name, description) VALUES ($1, $2)', [
      DRIVER,
      JSON.stringify(kept?.description),
    ]);
    for (const at of [path, url]) await eventually(() => port(at, '8080'));
  });
});

describe('after all of this, no secret', () => {
  const none = (texts: readonly string[], where: string): void => expectNone(secrets, texts, where);

  it('was shown to the driver, which saw the rest', () => {
    expect(validated.length).toBeGreaterThan(3);
    expect(driver.told.map(({ hook }) => hook)).toEqual(
      expect.arrayContaining(['instantiate_start', 'modify_information_start']),
    );
    for (const { instantiateParams } of driver.told.filter(({ hook }) => hook === 'instantiate_end'))
      expect(instantiateParams).toMatchObject({ pin: '***', port: '8080', nodes: [{ phrase: '***', name: 'node-1' }] });
    none(
      [...validated, ...driver.told].map((told) => JSON.stringify(told)),
      'a question to the driver',
    );
  });

  it('is shown by the API, which shows the rest', async () => {
    answers.push(...(await everyAnswer(system.api)));
    const shown = answers.join('');
    for (const text of [
      '"pin":"***"',
      '"name":"node-1"',
      '"port":"8080"',
      '"owner":"me"',
      '"use_helm":"no"',
      system.emulator.tenant.user,
    ])
      expect(shown).toContain(text);
    none(answers, 'an answer');
  });

  it('stands in a log', () => {
    expect(written.length).toBeGreaterThan(3);
    none(written, 'a log');
  });

  it('went over NATS', () => {
    for (const subject of [
      `windlass.mgmt.${DRIVER}.validate`,
      `windlass.mgmt.${DRIVER}.plan`,
      'windlass.vim.register',
      'windlass.saga.claim',
    ])
      expect(
        heard.some((message) => message.startsWith(subject)),
        subject,
      ).toBe(true);
    none(heard, 'a message');
  });

  it('lies in PostgreSQL in the clear', async () => {
    const values = await everyColumn(system);
    expect(values.some((value) => value.startsWith('lcm.audit_trail'))).toBe(true);
    expect(values.some((value) => value.includes('node-1'))).toBe(true);
    none(values, 'a column');
  });
});
