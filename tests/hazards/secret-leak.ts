import { createPrivateKey, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningNats } from '@windlass/embedded';
import { Secret } from '@windlass/foundation';
import { connectNats, parseToken, type NatsLink } from '@windlass/messaging';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { instantiateRequest, type Rig } from './support/rig.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Hears every message of a NATS server from now on, as an attacker could who has the server's password. */
export class Eavesdropper {
  readonly heard: string[] = [];

  private constructor(private readonly link: NatsLink) {}

  static async listen(nats: RunningNats): Promise<Eavesdropper> {
    const { user, password } = nats.admin;
    const link = await connectNats({ url: nats.url, user, password: new Secret(password), name: 'eavesdropper', log: silent });
    const ears = new Eavesdropper(link);
    link.connection.subscribe('>', {
      callback: (_error, { subject, data, headers }) => {
        ears.heard.push(`${subject} ${headers?.toString() ?? ''} ${Buffer.from(data).toString('latin1')}`);
      },
    });
    await link.flushed();
    return ears;
  }

  close(): Promise<void> {
    return this.link.close();
  }
}

/** Sends a secret by every request that takes one, while the eavesdropper listens. */
async function useEverySecret(rig: Rig, secrets: Map<string, Buffer>): Promise<void> {
  const { api, emulator } = rig;
  const parameter = randomBytes(18).toString('base64url');
  secrets.set('a password among the request’s parameters', Buffer.from(parameter));
  const random = (what: string): string => {
    const text = randomBytes(18).toString('base64url');
    secrets.set(what, Buffer.from(text));
    return text;
  };
  const { project, user, password } = emulator.tenant;
  const vnf = await rig.createVnf('with-secrets');
  const operation = await api.accept(`${vnf}/instantiate`, {
    ...(await instantiateRequest()),
    additionalParams: { password: parameter },
    vimConnectionInfo: [
      {
        id: 'described',
        vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3',
        interfaceInfo: { endpoint: emulator.url },
        accessInfo: { username: user, password, project, seed: random('an unknown member of accessInfo') },
        extra: { note: random('a member of a connection’s extra') },
      },
    ],
  });
  await rig.completed(operation);
  const { vims } = await api.get<{ vims: { id: string; name: string }[] }>('/v1.0/vims');
  const overheard = vims.find(({ name }) => name === 'overheard');
  const seed = random('an unknown member of a VIM’s credentials');
  const note = random('a member of a VIM’s extra');
  await rig.http.put(`/v1.0/vims/${overheard?.id}`, { vim: { auth_cred: { password, seed }, extra: { note } } });
  const { token } = await api.post<{ token: string }>('/windlass/v1/enrolment_tokens', { service: 'storage-mgmt' });
  secrets.set('an enrolment token', Buffer.from(parseToken(token).secret.reveal()));
  expect(emulator.tokens.length).toBeGreaterThan(0);
  for (const [index, keystone] of emulator.tokens.entries()) secrets.set(`Keystone’s token ${index}`, Buffer.from(keystone));
}

/** The secrets of the deployment itself. */
async function standingSecrets({ deployment, nats, postgres, emulator }: Rig): Promise<Map<string, Buffer>> {
  const { secrets } = deployment;
  const found = new Map([
    ['the VIM’s password', Buffer.from(emulator.tenant.password)],
    ['the API’s token', Buffer.from(secrets.token)],
    ['the master key', Buffer.from(secrets.masterKey)],
    ['the master key’s bytes', Buffer.from(secrets.masterKey, 'hex')],
    ['PostgreSQL’s password', Buffer.from(decodeURIComponent(new URL(postgres.url).password))],
    ['the NATS password of its administrator', Buffer.from(nats.admin.password)],
  ]);
  for (const [name, password] of Object.entries(secrets.natsPasswords))
    found.set(`the NATS password of ${name}`, Buffer.from(password));
  for (const [name, file] of Object.entries(secrets.enrolmentTokenFiles))
    found.set(`the enrolment token of ${name}`, Buffer.from(parseToken(await readFile(file, 'utf8')).secret.reveal()));
  const keys = await readdir(secrets.keyFolder);
  expect(keys.length).toBeGreaterThan(0);
  for (const name of keys) {
    const key = createPrivateKey(await readFile(join(secrets.keyFolder, name)));
    found.set(`the private key in ${name}`, Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url'));
    // The key's own bytes: in PKCS #8 they follow the part that all X25519 keys share.
    const pem = key.export({ format: 'der', type: 'pkcs8' }).subarray(18).toString('base64');
    found.set(`the PEM in ${name}`, Buffer.from(pem));
  }
  return found;
}

/** The secrets in the clear, in hexadecimal and in base64. Base64 within other base64 begins at one of three offsets. */
function formsOf(secrets: ReadonlyMap<string, Buffer>): Map<string, string> {
  const forms = new Map<string, string>();
  for (const [name, bytes] of secrets) {
    forms.set(name, bytes.toString('latin1'));
    forms.set(`${name}, in hexadecimal`, bytes.toString('hex'));
    for (const at of [0, 1, 2]) {
      const whole = bytes.subarray(at, bytes.length - ((bytes.length - at) % 3));
      forms.set(`${name}, in base64 from ${at}`, whole.toString('base64'));
      forms.set(`${name}, in base64url from ${at}`, whole.toString('base64url'));
    }
  }
  return forms;
}

export function secretLeak(rigOf: () => Rig, earsOf: () => Eavesdropper): void {
  const secrets = new Map<string, Buffer>();

  function expectNone(texts: readonly string[], where: string): void {
    for (const [name, value] of formsOf(secrets))
      expect(
        texts.findIndex((text) => text.includes(value)),
        `${name} in ${where}`,
      ).toBe(-1);
  }

  describe('after all of this, no secret', () => {
    beforeAll(async () => {
      const rig = rigOf();
      await useEverySecret(rig, secrets);
      for (const [name, bytes] of await standingSecrets(rig)) secrets.set(name, bytes);
    });

    it('stands in a log', async () => {
      const folder = join(rigOf().folder, 'data/logs');
      const logs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
      expect(logs.join('').length).toBeGreaterThan(1_000);
      expectNone(logs, 'a log');
    });

    it('went over NATS', () => {
      const { heard } = earsOf();
      for (const subject of [
        'windlass.step.infra-driver',
        'windlass.saga.claim',
        'windlass.saga.result',
        'windlass.package.archived-part',
        'windlass.vim.register',
        'windlass.vim.update',
      ])
        expect(
          heard.some((message) => message.startsWith(subject)),
          subject,
        ).toBe(true);
      expectNone(heard, 'a message');
    });

    it('stands in an answer of the API or of a health check', async () => {
      const rig = rigOf();
      const lists = ['/v1.0/vims', '/vnflcm/v1/vnf_instances', '/vnflcm/v1/vnf_lcm_op_occs', '/vnfpkgm/v1/vnf_packages'];
      const answers: string[] = [];
      const look = async (path: string): Promise<unknown> => {
        const { data, headers } = await rig.http.get<unknown>(path);
        answers.push(JSON.stringify([data, headers]));
        return data;
      };
      for (const path of lists) {
        const shown = (await look(path)) as { id: string }[] | { vims: { id: string }[] };
        for (const { id } of Array.isArray(shown) ? shown : shown.vims) await look(`${path}/${id}`);
        if (path.endsWith('op_occs') && Array.isArray(shown))
          for (const { id, operationState } of shown as { id: string; operationState: string }[]) {
            await look(`/windlass/v1/operations/${id}/steps`);
            // The event stream of an operation that is not final does not end.
            if (operationState === 'COMPLETED') await look(`/windlass/v1/operations/${id}/events`);
          }
      }
      for (const path of ['audit_trail', 'enrolment_tokens', 'enrolled_keys', 'host_keys', 'clean_ups'])
        await look(`/windlass/v1/${path}`);
      for (const url of rig.deployment.processes.flatMap(({ healthUrls }) => [...healthUrls.values()]))
        for (const path of ['/health/live', '/health/ready', '/metrics'])
          answers.push(await (await fetch(`${url}${path}`)).text());
      expect(answers.length).toBeGreaterThan(20);
      expect(answers.some((answer) => answer.includes(rig.emulator.tenant.user))).toBe(true);
      expectNone(answers, 'an answer');
    });

    it('lies in PostgreSQL in the clear', async () => {
      const rig = rigOf();
      const client = new pg.Client({ connectionString: rig.postgres.url });
      await client.connect();
      try {
        const { rows: tables } = await client.query<{ name: string }>(
          `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
           WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
        );
        expect(tables.map(({ name }) => name)).toEqual(
          expect.arrayContaining(['lcm.payload', 'lcm.step', 'lcm.outbox', 'lcm.audit_trail', 'lcm.enrolment_token', 'vim.vim']),
        );
        const values: string[] = [];
        for (const { name } of tables) {
          const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
          for (const value of rows.flatMap((row) => Object.values(row)))
            values.push(Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value));
        }
        expect(values.some((value) => value.includes(rig.emulator.url))).toBe(true);
        expectNone(values, 'a column');
      } finally {
        await client.end();
      }
    });

    it('stands on the command line of a process', async () => {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      // A process may end during the look.
      const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
      expect(lines.some((line) => /\/infra-driver(?:\/dist\/main)?\.js/.test(line))).toBe(true);
      expectNone(lines, 'a command line');
    });
  });
}
