import { randomUUID } from 'node:crypto';
import type { AxiosResponse } from 'axios';
import type { JsonObject } from '@windlass/foundation';
import { routesOf } from '@windlass/lcm-api';
import { KeyPair } from '@windlass/messaging';
import type { DriverDescription } from '@windlass/mgmt-driver';
import { PgDrivers, PgEnrolments, PgLcmStore, Vault } from '@windlass/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newToken } from '../support/enrolment.js';
import { openStackVim } from '../support/openstack-vim.js';
import { registerVim, startSystem, type System } from '../support/system.js';
import { deployedCluster } from '../vims/support/deployed-cluster.js';
import { keptSnapshot } from '../vims/support/kept-snapshot.js';
import { startReplica, type Replica } from './support/replicas.js';

/** The replica's limit for a package, and what stays below it: archives are looked into after the answer. */
const MAX_PACKAGE_BYTES = 4_096;

let system: System;
let anna: Replica;
/** A VNF instance that has deployed one. */
let cluster: string;

beforeAll(async () => {
  system = await startSystem();
  anna = await startReplica(system, {
    user: 'anna',
    more: {
      maxPackageBytes: MAX_PACKAGE_BYTES,
      packages: { hosts: ['repository.invalid'] },
      notifications: { testsCallbacks: false },
    },
  });
  await registerVim(system);
  cluster = await deployedCluster(system, { url: 'https://192.0.2.1:6443', token: 'a-token', ca: 'a CA' });
  await system.database.query(
    `CREATE FUNCTION lcm.no_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no entry can be written'; END $$`,
  );
});

afterAll(async () => {
  await anna.stop();
  await system.close();
});

/** As a crash between a change and its entry, wherever that is: what needs an entry comes no further. */
async function withoutTrail<T>(work: () => Promise<T>): Promise<T> {
  await system.database.query(
    `CREATE TRIGGER no_entry BEFORE INSERT ON lcm.audit_trail FOR EACH ROW EXECUTE FUNCTION lcm.no_entry()`,
  );
  try {
    return await work();
  } finally {
    await system.database.query('DROP TRIGGER no_entry ON lcm.audit_trail');
  }
}

/** A request that changes something, and what it changes. */
interface Change {
  send: () => Promise<AxiosResponse<unknown>>;
  /** Rows as the request finds and leaves them. */
  rows: string;
}

const vim = (name: string): JsonObject => openStackVim(name, system.emulator);

const registered = async (): Promise<string> => {
  const { data } = await anna.api.post<{ vim: { id: string } }>('/v1.0/vims', { vim: vim(randomUUID()) });
  return data.vim.id;
};

const created = async (): Promise<string> => (await anna.api.post<{ id: string }>('/vnfpkgm/v1/vnf_packages', {})).data.id;

const token = (): Promise<{ id: string }> => newToken(system.database, system.masterKeys, { service: 'k8s-mgmt' });

const upload = async (bytes: number): Promise<Change> => {
  const id = await created();
  const headers = { 'Content-Type': 'application/zip' };
  return {
    send: () => anna.api.put(`/vnfpkgm/v1/vnf_packages/${id}/package_content`, Buffer.alloc(bytes), { headers }),
    rows: `SELECT failure IS NOT NULL OR onboarding_state IN ('PROCESSING', 'ONBOARDED') FROM package.vnf_package WHERE id = '${id}'`,
  };
};

const vimRows = (id: string): string => `SELECT description FROM vim.vim WHERE id = '${id}'`;
const packageRows = (id: string): string => `SELECT user_defined_data FROM package.vnf_package WHERE id = '${id}'`;

const callback = (): string => `http://10.255.255.1/${randomUUID()}`;

function subscribing(path: string): Promise<Change> {
  const callbackUri = callback();
  const rows = `SELECT id FROM lcm.subscription WHERE callback_uri = '${callbackUri}'`;
  return Promise.resolve({ send: () => anna.api.post(path, { callbackUri }, speaking(path)), rows });
}

/** v2 wants to be told its version. */
const speaking = (path: string) => ({ headers: path.startsWith('/vnflcm/v2/') ? { Version: '2.0.0' } : {} });

async function unsubscribing(path: string): Promise<Change> {
  const { data } = await anna.api.post<{ id: string }>(path, { callbackUri: callback() }, speaking(path));
  const rows = `SELECT id FROM lcm.subscription WHERE id = '${data.id}'`;
  return { send: () => anna.api.delete(`${path}/${data.id}`, speaking(path)), rows };
}

const CHANGES: Readonly<Record<string, () => Promise<Change>>> = {
  'POST /v1.0/vims': () => {
    const name = randomUUID();
    const send = () => anna.api.post('/v1.0/vims', { vim: vim(name) });
    return Promise.resolve({ send, rows: `SELECT name FROM vim.vim WHERE name = '${name}'` });
  },
  'PUT /v1.0/vims/:id': async () => {
    const id = await registered();
    return { send: () => anna.api.put(`/v1.0/vims/${id}`, { vim: { description: 'another' } }), rows: vimRows(id) };
  },
  'DELETE /v1.0/vims/:id': async () => {
    const id = await registered();
    return { send: () => anna.api.delete(`/v1.0/vims/${id}`), rows: vimRows(id) };
  },
  'POST /vnflcm/v1/subscriptions': () => subscribing('/vnflcm/v1/subscriptions'),
  'DELETE /vnflcm/v1/subscriptions/:id': () => unsubscribing('/vnflcm/v1/subscriptions'),
  'POST /vnflcm/v2/subscriptions': () => subscribing('/vnflcm/v2/subscriptions'),
  'DELETE /vnflcm/v2/subscriptions/:id': () => unsubscribing('/vnflcm/v2/subscriptions'),
  'POST /vnfpkgm/v1/subscriptions': () => subscribing('/vnfpkgm/v1/subscriptions'),
  'DELETE /vnfpkgm/v1/subscriptions/:id': () => unsubscribing('/vnfpkgm/v1/subscriptions'),
  'POST /vnfpkgm/v1/vnf_packages': () => {
    const userDefinedData = { of: randomUUID() };
    const rows = `SELECT id FROM package.vnf_package WHERE user_defined_data->>'of' = '${userDefinedData.of}'`;
    return Promise.resolve({ send: () => anna.api.post('/vnfpkgm/v1/vnf_packages', { userDefinedData }), rows });
  },
  'PATCH /vnfpkgm/v1/vnf_packages/:id': async () => {
    const id = await created();
    const send = () => anna.api.patch(`/vnfpkgm/v1/vnf_packages/${id}`, { userDefinedData: { a: 1 } });
    return { send, rows: packageRows(id) };
  },
  'DELETE /vnfpkgm/v1/vnf_packages/:id': async () => {
    const id = await created();
    return { send: () => anna.api.delete(`/vnfpkgm/v1/vnf_packages/${id}`), rows: packageRows(id) };
  },
  'PUT /vnfpkgm/v1/vnf_packages/:id/package_content': () => upload(MAX_PACKAGE_BYTES),
  'POST /vnfpkgm/v1/vnf_packages/:id/package_content/upload_from_uri': async () => {
    const id = await created();
    const body = { addressInformation: 'http://repository.invalid/package.zip' };
    return {
      send: () => anna.api.post(`/vnfpkgm/v1/vnf_packages/${id}/package_content/upload_from_uri`, body),
      rows: `SELECT failure IS NOT NULL OR onboarding_state = 'UPLOADING' FROM package.vnf_package WHERE id = '${id}'`,
    };
  },
  'POST /windlass/v1/vnf_instances/:id/kubeconfig': () => {
    // What it changes is that the trail tells of it: nobody gets a kubeconfig without that.
    const rows = `SELECT id FROM lcm.audit_trail WHERE vnf_instance_id = '${cluster}' AND operation = 'KUBECONFIG' AND status = 200`;
    return Promise.resolve({ send: () => anna.api.post(`/windlass/v1/vnf_instances/${cluster}/kubeconfig`), rows });
  },
  'POST /windlass/v1/vnf_instances/:id/snapshots/:snapshotId/archive': async () => {
    // As a kubeconfig.
    const snapshot = await keptSnapshot(system, cluster);
    const path = `/windlass/v1/vnf_instances/${cluster}/snapshots/${snapshot}/archive`;
    return {
      send: () => anna.api.post(path, undefined, { headers: { Accept: 'application/gzip, application/json' } }),
      rows: `SELECT id FROM lcm.audit_trail WHERE resource = '${path}' AND status = 200`,
    };
  },
  'POST /windlass/v1/audits': () =>
    Promise.resolve({
      send: () => anna.api.post('/windlass/v1/audits', {}),
      rows: `SELECT id FROM lcm.operation WHERE kind = 'AUDIT' ORDER BY id`,
    }),
  'POST /windlass/v1/clean_ups/:id/give_up': async () => {
    const store = new PgLcmStore(system.database, new Vault(system.masterKeys));
    const subject = { vim: { choice: { connectionId: 'gone' } }, images: [], vims: [] };
    // It has failed, and waits: nobody tries it again.
    const id = await system.database.transaction(async (manager) => {
      const clean = { tenant: 'default', vnfInstanceId: randomUUID(), vimId: null, subject };
      const begun = await store.beginInternal(manager, { kind: 'CLEAN_UP', ...clean });
      await manager.query(`UPDATE lcm.operation SET status = 'suspended' WHERE id = $1`, [begun]);
      return begun;
    });
    const rows = `SELECT state FROM lcm.internal_operation WHERE id = '${id}'`;
    return { send: () => anna.api.post(`/windlass/v1/clean_ups/${id}/give_up`), rows };
  },
  'POST /windlass/v1/enrolment_tokens': () =>
    Promise.resolve({
      send: () => anna.api.post('/windlass/v1/enrolment_tokens', { service: 'k8s-mgmt' }),
      rows: `SELECT id FROM lcm.enrolment_token WHERE created_by = 'anna' ORDER BY id`,
    }),
  'DELETE /windlass/v1/enrolment_tokens/:id': async () => {
    const { id } = await token();
    const rows = `SELECT revoked_at FROM lcm.enrolment_token WHERE id = '${id}'`;
    return { send: () => anna.api.delete(`/windlass/v1/enrolment_tokens/${id}`), rows };
  },
  'DELETE /windlass/v1/enrolled_keys/:id': async () => {
    const { id, x: publicKey } = KeyPair.generate().public;
    await new PgEnrolments(system.database).enrol({ id, service: 'k8s-mgmt', publicKey, worker: 'k1' }, (await token()).id);
    const rows = `SELECT revoked_at FROM lcm.worker_key WHERE id = '${id}'`;
    return { send: () => anna.api.delete(`/windlass/v1/enrolled_keys/${id}`), rows };
  },
  'DELETE /windlass/v1/drivers/:name': async () => {
    const driver = `mgmt-drivers-${randomUUID()}`;
    const of: DriverDescription = { contract: 2, driver, version: '1', service: 's', hooks: [], actions: [], parameters: {} };
    await new PgDrivers(system.database).keep(of, { keyId: 'k', number: 1 });
    const rows = `SELECT removed_at FROM lcm.driver WHERE name = '${driver}'`;
    return { send: () => anna.api.delete(`/windlass/v1/drivers/${driver}`), rows };
  },
  'DELETE /windlass/v1/host_keys/:resourceId': async () => {
    const id = randomUUID();
    await system.database.query(
      `INSERT INTO lcm.host_key (resource_id, key, tenant) VALUES ($1, 'ssh-ed25519 AAAA', 'default')`,
      [id],
    );
    const rows = `SELECT key FROM lcm.host_key WHERE resource_id = '${id}'`;
    return { send: () => anna.api.delete(`/windlass/v1/host_keys/${id}`), rows };
  },
};

/** Instances and operations (not subscriptions) are changed through one store, which writes the entry with their events. */
const throughTheStore = (route: string): boolean =>
  (route.includes(' /vnflcm/') && !route.includes('/subscriptions')) ||
  ['certificates', 'snapshots'].some((of) => route === `POST /windlass/v1/vnf_instances/:id/${of}`);

describe('an entry of the audit trail and the change that it tells of', () => {
  it('are looked at for every route', () => {
    expect(Object.keys(CHANGES).sort()).toEqual(
      routesOf()
        .changing()
        .filter((route) => !throughTheStore(route))
        .sort(),
    );
  });

  const refused: [string, () => Promise<Change>] = ['a package that is too large', () => upload(MAX_PACKAGE_BYTES + 1)];
  it.each([...Object.entries(CHANGES), refused])('are there both or neither: %s', async (name, prepare) => {
    const lost = await prepare();
    const before: unknown = await system.database.query(lost.rows);
    const answer = await withoutTrail(() => lost.send());
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(await system.database.query(lost.rows)).toEqual(before);

    const made = await prepare();
    const found: unknown = await system.database.query(made.rows);
    const { status, headers } = await made.send();
    if (name === refused[0]) expect(status).toBe(413);
    else expect(status).toBeLessThan(300);
    expect(await system.database.query(made.rows)).not.toEqual(found);
    expect(
      await system.database.query('SELECT actor, status, roles FROM lcm.audit_trail WHERE request_id = $1', [
        headers['x-request-id'],
      ]),
    ).toEqual([{ actor: 'anna', status, roles: ['admin'] }]);
  });
});
