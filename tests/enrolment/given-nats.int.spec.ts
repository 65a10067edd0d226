import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ensureNatsServer } from '@windlass/embedded';
import { testFolder } from '@windlass/embedded/testing';
import { millis, Secret, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { connectNats, mgmtContracts, RequestClient, subjects } from '@windlass/messaging';
import { natsAcl, passwordVariable, SERVICES } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, quiet, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

/** Of `pw-of-a-service`, cost 4, made with htpasswd: each user has the same password here, so that one hash will do. */
const PASSWORD = 'pw-of-a-service';
const hash = readFileSync(join(import.meta.dirname, 'support/password.bcrypt'), 'utf8').trim();

const folder = testFolder();
let system: System;
let server: ChildProcess | undefined;
let url: string;

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))));
    });
  });

/** A nats-server as an operator has it: a configuration of its own, which includes what the command printed. */
async function launch(
  environment: Readonly<Record<string, string>>,
): Promise<{ child: ChildProcess; said: () => string; url: string }> {
  const port = await freePort();
  writeFileSync(join(folder.path, 'windlass-users.conf'), natsAcl('nats-server'));
  writeFileSync(
    join(folder.path, 'nats-server.conf'),
    `listen: "127.0.0.1:${port}"\nmax_payload: 2MB\nmax_control_line: 8KB\njetstream { store_dir: "${folder.path}/js-${port}" }\ninclude "windlass-users.conf"\n`,
  );
  const binary = await ensureNatsServer(() => undefined);
  const child = spawn(binary, ['-c', join(folder.path, 'nats-server.conf')], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  return { child, said: () => text, url: `nats://127.0.0.1:${port}` };
}

const hashes = Object.fromEntries(SERVICES.map(({ name }) => [passwordVariable(name), hash]));

beforeAll(async () => {
  const started = await launch(hashes);
  server = started.child;
  url = started.url;
  await waitUntil(
    (seen) => (seen(started.said()), Promise.resolve(started.said().includes('Server is ready') ? true : undefined)),
    {
      for: 'nats-server to be ready',
      within: seconds(30),
      every: millis(50),
    },
  );
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
      const client = new RequestClient(link);
      const foreign = client.request(mgmtContracts('mgmt-drivers-kubernetes').describe, {}, { within: millis(500) });
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
    const { child, said } = await launch({ ...hashes, [passwordVariable('k8s-mgmt')]: undefined } as Record<string, string>);
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
