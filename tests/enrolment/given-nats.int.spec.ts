import type { ChildProcess } from 'node:child_process';
import { testFolder } from '@windlass/embedded/testing';
import { Secret, seconds, type JsonObject } from '@windlass/foundation';
import { connectNats, CoreKeys, DriverAsker, mgmtContracts, subjects } from '@windlass/messaging';
import { PgEnrolments } from '@windlass/persistence';
import { passwordVariable, SERVICES } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, quiet, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';
import { hash, launchNats, ownNats, PASSWORD } from './support/own-nats.js';

const folder = testFolder();
let system: System;
let server: ChildProcess | undefined;
let url: string;

beforeAll(async () => {
  const started = await ownNats({ folder: folder.path });
  server = started.child;
  url = started.url;
  system = await startSystem({ nats: { url, passwordOf: () => PASSWORD } });
});

afterAll(async () => {
  await system.close();
  server?.kill('SIGTERM');
  folder.remove();
});

describe('a NATS of the operator’s, with what "windlass nats-acl" prints', () => {
  it('carries an instantiation and a termination', async () => {
    const { api } = system;
    await registerVim(system);
    const { vnfdId } = await onboard(api, 'simple-vm');
    const path = await createVnf(api, vnfdId);
    const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
    expect(await atRest(api, await api.post(`${path}/instantiate`, request))).toMatchObject({ operationState: 'COMPLETED' });
    const ended = await atRest(api, await api.post(`${path}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(ended).toMatchObject({ operationState: 'COMPLETED' });
  });

  it('refuses what is outside of a service’s permissions', async () => {
    const link = await connectNats({ url, user: 'infra-driver', password: new Secret(PASSWORD), name: 'x', log: quiet });
    try {
      const coreKeys = new CoreKeys(system.masterKeys);
      const asker = new DriverAsker({ link, coreKeys, enrolments: new PgEnrolments(system.database), log: quiet });
      const driver = { driver: 'mgmt-drivers-kubernetes', service: 'k8s-mgmt', contract: 2 };
      const foreign = asker.ask(driver, mgmtContracts(driver.driver).describe, {}, { within: seconds(30) });
      await expect(foreign).rejects.toMatchObject({ code: 'messaging.forbidden' });
      const refused = new Promise<string>((resolve) => {
        link.connection.subscribe(subjects.saga('claim'), { callback: (error) => resolve(String(error)) });
      });
      expect(await refused).toMatch(/permissions violation/i);
    } finally {
      await link.close();
    }
  });

  it('lets nobody in with the hash itself', async () => {
    const guess = connectNats({ url, user: 'infra-driver', password: new Secret(hash), name: 'x', log: quiet });
    await expect(guess).rejects.toMatchObject({ code: 'messaging.refused' });
  });

  it('does not start while a password is forgotten', async () => {
    const forgetful = Object.fromEntries(
      SERVICES.filter(({ name }) => name !== 'k8s-mgmt').map(({ name }) => [passwordVariable(name), hash]),
    );
    const { child, said } = await launchNats({ folder: folder.path, environment: forgetful });
    const status = await new Promise((resolve) => child.once('exit', resolve));
    expect(status).not.toBe(0);
    expect(said()).toContain(passwordVariable('k8s-mgmt'));
  });
});

describe('the REST resources of enrolment', () => {
  it('make a token once, list it without its text, and revoke it and keys', async () => {
    const { api } = system;
    const made = await api.post<JsonObject>('/windlass/v1/enrolment_tokens', {
      service: 'k8s-mgmt',
      validForSeconds: 60,
      uses: 2,
    });
    expect(made.status).toBe(201);
    expect(made.data).toMatchObject({ service: 'k8s-mgmt', maxUses: 2, uses: 0, createdBy: 'admin' });
    const secret = String(made.data.token).split('.')[2]!;
    const { data: tokens } = await api.get<JsonObject[]>('/windlass/v1/enrolment_tokens');
    expect(tokens.map(({ id }) => id)).toContain(made.data.id);
    expect(JSON.stringify(tokens)).not.toContain(secret);
    expect((await api.delete(`/windlass/v1/enrolment_tokens/${String(made.data.id)}`)).status).toBe(204);
    expect((await api.delete('/windlass/v1/enrolment_tokens/nobody')).status).toBe(404);
    const { data: keys } = await api.get<JsonObject[]>('/windlass/v1/enrolled_keys');
    expect(keys).toMatchObject([{ service: 'infra-driver', worker: 'i1', revokedAt: null }]);
    expect((await api.delete(`/windlass/v1/enrolled_keys/${String(keys[0]!.id)}`)).status).toBe(204);
    const { data: after } = await api.get<JsonObject[]>('/windlass/v1/enrolled_keys');
    expect(after[0]!.revokedAt).not.toBeNull();
  });

  it.each([
    [{}, '/service'],
    [{ service: 'saga-coordinator' }, '/service'],
    [{ service: 'a b' }, '/service'],
    [{ service: 'k8s-mgmt', uses: 0 }, '/uses'],
    [{ service: 'k8s-mgmt', validForSeconds: '1h' }, '/validForSeconds'],
  ])('refuse %j, naming %s', async (body, path) => {
    const answer = await system.api.post<JsonObject>('/windlass/v1/enrolment_tokens', body);
    expect(answer.status).toBe(400);
    expect(answer.data).toMatchObject({ invalidParams: [{ path }] });
  });
});
