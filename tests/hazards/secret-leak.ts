import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningNats } from '@windlass/embedded';
import { Secret } from '@windlass/foundation';
import { connectNats, type NatsLink } from '@windlass/messaging';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Rig } from './support/rig.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Hears every message of a NATS server from now on, as somebody could who had got hold of it. */
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

export function secretLeak(rigOf: () => Rig, earsOf: () => Eavesdropper): void {
  /** The secrets, as they are and as they look in JSON, URLs and base64. */
  function secretsOf(rig: Rig): Map<string, string> {
    const { secrets } = rig.deployment;
    const plain = new Map([
      ['the VIM’s password', rig.emulator.tenant.password],
      ['the API’s token', secrets.token],
      ['the master key', secrets.masterKey],
      ['PostgreSQL’s password', decodeURIComponent(new URL(rig.postgres.url).password)],
      ...Object.entries(secrets.natsPasswords).map(([name, password]) => [`the NATS password of ${name}`, password] as const),
    ]);
    const forms = new Map(plain);
    for (const [name, value] of plain) {
      forms.set(`${name}, in base64`, Buffer.from(value).toString('base64').replace(/=+$/, ''));
      forms.set(`${name}, in hexadecimal`, Buffer.from(value).toString('hex'));
    }
    forms.set('the master key’s bytes', Buffer.from(secrets.masterKey, 'hex').toString('latin1'));
    return forms;
  }

  function expectNone(texts: readonly string[], where: string): void {
    for (const [name, value] of secretsOf(rigOf()))
      expect(
        texts.findIndex((text) => text.includes(value)),
        `${name} in ${where}`,
      ).toBe(-1);
  }

  describe('after all of this, no secret', () => {
    it('stands in a log', async () => {
      const folder = join(rigOf().folder, 'data/logs');
      const logs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
      expect(logs.join('').length).toBeGreaterThan(1_000);
      expectNone(logs, 'a log');
    });

    it('went over NATS', () => {
      const { heard } = earsOf();
      for (const subject of ['windlass.step.infra-driver', 'windlass.saga.claim', 'windlass.saga.result', 'windlass.vim.'])
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
            // The events of one that is not final don't end.
            if (operationState === 'COMPLETED') await look(`/windlass/v1/operations/${id}/events`);
          }
      }
      await look('/windlass/v1/audit_trail');
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
          expect.arrayContaining(['lcm.payload', 'lcm.step', 'lcm.outbox', 'lcm.audit_trail', 'vim.vim']),
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
      // Processes come and go while we look.
      const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
      expect(lines.some((line) => line.includes('apps/infra-driver/dist/main.js'))).toBe(true);
      expectNone(lines, 'a command line');
    });
  });
}
