import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import {
  CoreKeys,
  Enrolment,
  hashOf,
  KeyPair,
  makeToken,
  RequestClient,
  tokenText,
  type MessagingLog,
  type NatsLink,
} from '@windlass/messaging';
import { PgEnrolments, type NewToken } from '@windlass/persistence';
import type { DataSource } from 'typeorm';

/** Makes an enrolment token for a service, as an operator does. Returns the token's id and text. */
export async function newToken(
  database: DataSource,
  masterKeys: readonly Buffer[],
  requested: Pick<NewToken, 'service' | 'uses' | 'validFor'>,
): Promise<{ id: string; text: string }> {
  const token = makeToken(new CoreKeys(masterKeys).publicX);
  await new PgEnrolments(database).addToken({ ...requested, ...hashOf(token), createdBy: 'test' });
  return { id: token.id, text: tokenText(token).reveal() };
}

export interface WorkerOptions {
  link: NatsLink;
  service: string;
  worker: string;
  log: MessagingLog;
  /** The text in the token file; without it, the worker has no token file. */
  token?: string;
  keys?: KeyPair;
}

/** Begins the enrolment of a worker, whose token lies in a file, as an operator's does. */
export function startEnrolment({ link, service, worker, log, token, keys }: WorkerOptions): Enrolment & { tokenFile: string } {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-enrolment-'));
  const tokenFile = join(folder, 'token');
  if (token !== undefined) writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
  const enrolment = new Enrolment({
    client: new RequestClient(link),
    service,
    worker,
    keys: keys ?? KeyPair.generate(),
    tokenFile,
    log,
  }).start();
  const stop = enrolment.stop.bind(enrolment);
  return Object.assign(enrolment, {
    tokenFile,
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

/** Waits until the coordinators have taken the worker's key. */
export const taken = (enrolment: Enrolment): Promise<true> =>
  waitUntil(
    (seen) => {
      seen(JSON.stringify(enrolment.state));
      return Promise.resolve(enrolment.state.enrolled ? true : undefined);
    },
    { for: 'the key to be enrolled', within: seconds(30), every: millis(20) },
  );
