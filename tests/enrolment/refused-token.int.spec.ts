import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@windlass/embedded/testing';
import { hours, millis, seconds, waitUntil } from '@windlass/foundation';
import {
  CoreKeys,
  enrolAad,
  enrolContract,
  enrolmentCheck,
  KeyPair,
  makeToken,
  NatsCoordinatorClient,
  parseStandingTokens,
  parseToken,
  RequestClient,
  seal,
  standingLine,
  tokenText,
  hashOf,
  type Enrolment,
  type NatsLink,
} from '@windlass/messaging';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newToken, startEnrolment, taken } from '../support/enrolment.js';
import { MemoryLog } from '../support/memory-log.js';
import { EnrolmentBench } from './support/bench.js';

const service = 'k8s-mgmt';
const folder = testFolder();
let bench: EnrolmentBench;
let link: NatsLink;
let log: MemoryLog;
const begun: Enrolment[] = [];

beforeAll(async () => {
  bench = await EnrolmentBench.start();
  link = await bench.linkOf(service);
});
beforeEach(() => {
  log = new MemoryLog();
});
afterAll(async () => {
  await Promise.all(begun.map((enrolment) => enrolment.stop()));
  await bench.close();
  folder.remove();
});

const tokenFor = (requested: { service?: string; uses?: number; validFor?: number } = {}) =>
  newToken(bench.database, bench.masterKeys, { service, ...requested });

function start(token?: string, keys?: KeyPair) {
  const optional = { ...(token === undefined ? {} : { token }), ...(keys === undefined ? {} : { keys }) };
  const enrolment = startEnrolment({ link, service, worker: 'w1', log, ...optional });
  begun.push(enrolment);
  return enrolment;
}

const says = (enrolment: Enrolment, words: RegExp): Promise<true> =>
  waitUntil(
    (seen) => {
      const check = enrolmentCheck(enrolment);
      seen(JSON.stringify(check));
      return Promise.resolve(!check.ok && words.test(check.detail ?? '') ? true : undefined);
    },
    { for: `readiness to say ${String(words)}`, within: seconds(30), every: millis(20) },
  );

/** Asks as a worker does whose key is new each time; the answer's reason. */
async function tried(text: string, as = service): Promise<string | undefined> {
  const { x } = KeyPair.generate().public;
  const sealedToken = seal(parseToken(text).coordinatorKey, Buffer.from(text), enrolAad(as, x));
  const client = new RequestClient(await bench.linkOf(as));
  const { enrolled, reason } = await client.request(enrolContract, { service: as, worker: 'w', publicKey: x, sealedToken });
  return enrolled ? 'enrolled' : reason;
}

describe('a worker without a token', () => {
  it('says in its readiness and its log what to do, and is enrolled when the token’s file appears', async () => {
    const enrolment = start();
    await says(enrolment, /enrolment-token create --service k8s-mgmt/);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    writeFileSync(enrolment.tokenFile, (await tokenFor()).text);
    await taken(enrolment);
    expect(enrolmentCheck(enrolment)).toEqual({ ok: true });
  });

  it('gives wake-ups back without asking for the step', async () => {
    const before = bench.log.lines.length;
    const client = new NatsCoordinatorClient(new RequestClient(link), start());
    await expect(client.claim(await bench.readyStep())).rejects.toMatchObject({ code: 'enrolment.not-enrolled' });
    expect(bench.log.lines.slice(before).filter(({ message }) => message.includes('claim'))).toEqual([]);
  });
});

describe('a token is refused', () => {
  it('for another service than its own', async () => {
    const { text } = await tokenFor({ service: 'infra-driver' });
    expect(await tried(text)).toBe('token-of-another-service');
    expect(await tried(text, 'infra-driver')).toBe('enrolled');
  });

  it('when it has expired', async () => {
    expect(await tried((await tokenFor({ validFor: -1 })).text)).toBe('token-expired');
    expect(await tried((await tokenFor({ validFor: hours(1) / 1_000 })).text)).toBe('enrolled');
  });

  it('when it was used as often as it may be, however many try at once', async () => {
    const { text } = await tokenFor({ uses: 2 });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => tried(text)));
    expect(answers.sort()).toEqual(['enrolled', 'enrolled', 'token-used-up', 'token-used-up', 'token-used-up']);
  });

  it('when it was revoked, and what it had enrolled stays', async () => {
    const { id, text } = await tokenFor();
    const enrolment = start(text);
    await taken(enrolment);
    expect(await bench.enrolments.revokeToken(id)).toBe(true);
    expect(await tried(text)).toBe('token-revoked');
    const client = new NatsCoordinatorClient(new RequestClient(link), enrolment);
    expect(await client.claim(await bench.readyStep())).toMatchObject({ granted: true });
  });

  it('when its secret is not the one that was made, and the worker’s log says so', async () => {
    const { text } = await tokenFor();
    const [prefix, id, , key] = text.split('.');
    const forged = [prefix, id, 'A'.repeat(43), key].join('.');
    await says(start(forged), /token-unknown/);
    expect(bench.log.reasons('a worker’s key is not enrolled')).toContain('token-unknown');
    expect(JSON.stringify([...log.lines, ...bench.log.lines])).not.toContain(text.split('.')[2]);
  });

  it('when it was made under another master key', async () => {
    const { text } = await newToken(bench.database, [Buffer.alloc(32, 1)], { service });
    expect(await tried(text)).toBe('token-unknown');
  });

  it('without being looked at, when too many were refused within a minute', async () => {
    const { text } = await tokenFor({ service: 'storage-mgmt', validFor: -1 });
    for (let n = 0; n < 20; n += 1) expect(await tried(text, 'storage-mgmt')).toBe('token-expired');
    await expect(tried(text, 'storage-mgmt')).rejects.toMatchObject({ code: 'enrolment.too-many-attempts', status: 429 });
    expect(await tried((await tokenFor()).text)).toBe('enrolled');
  });
});

describe('a standing token', () => {
  it('is known to the coordinators by its hash, and stays revoked once it was', async () => {
    const token = makeToken(new CoreKeys(bench.masterKeys).publicX);
    const line = standingLine({ service, ...hashOf(token) });
    expect(line).not.toContain(token.secret.reveal());
    await bench.enrolments.keepStanding(parseStandingTokens(`# made by the deployment\n${line}\n`));
    expect(await tried(tokenText(token).reveal())).toBe('enrolled');
    await bench.enrolments.revokeToken(token.id);
    await bench.enrolments.keepStanding(parseStandingTokens(line));
    expect(await tried(tokenText(token).reveal())).toBe('token-revoked');
  });
});

describe('a key', () => {
  it('is the same after a restart, and needs no token then', async () => {
    const file = join(folder.path, 'k8s.key');
    const { text } = await tokenFor({ uses: 1 });
    await taken(start(text, KeyPair.inFile(file)));
    const again = start(undefined, KeyPair.inFile(file));
    await taken(again);
    const [kept] = (await bench.enrolments.keys()).filter(({ id }) => id === again.keys.public.id);
    expect(kept).toMatchObject({ service, worker: 'w1', revokedAt: null });
  });

  it('of each replica is its own: one token with two uses enrols both, and each reads what it claims', async () => {
    const { text } = await tokenFor({ uses: 2 });
    const replicas = [start(text), start(text)];
    await Promise.all(replicas.map(taken));
    expect(replicas[0]!.keys.public.id).not.toBe(replicas[1]!.keys.public.id);
    for (const replica of replicas) {
      const client = new NatsCoordinatorClient(new RequestClient(link), replica);
      expect(await client.claim(await bench.readyStep())).toMatchObject({ granted: true });
    }
  });

  it('that was revoked renews nothing, reports nothing, claims nothing, and is never taken again', async () => {
    const { text } = await tokenFor();
    const enrolment = start(text);
    await taken(enrolment);
    const client = new NatsCoordinatorClient(new RequestClient(link), enrolment);
    const request = await bench.readyStep();
    expect(await client.claim(request)).toMatchObject({ granted: true });
    const { operationId } = request;
    expect(await client.renew({ operationId, stepId: 'first', epoch: 1 })).toMatchObject({ verdict: 'journaled' });

    expect(await bench.enrolments.revokeKey(enrolment.keys.public.id)).toBe(true);
    await waitUntil(
      async () => ((await client.renew({ operationId, stepId: 'first', epoch: 1 })).verdict === 'stale' ? true : undefined),
      { for: 'the renewal to be refused', within: seconds(20), every: millis(50) },
    );
    const told = await client.result({ operationId, stepId: 'first', epoch: 1, outcome: { kind: 'done' } });
    expect(told).toEqual({ verdict: 'stale' });
    expect(await bench.stepOf(request)).toMatchObject({ state: 'running' });
    await expect(client.claim(await bench.readyStep())).rejects.toMatchObject({ code: 'enrolment.not-enrolled' });
    await says(enrolment, /was revoked, and is never taken again.*enrolment-token create --service k8s-mgmt/);
    expect(log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields.detail)).toEqual([
      expect.stringContaining('was revoked'),
    ]);
    // With its token, which still holds: the key stays out.
    await says(start(text, enrolment.keys), /was revoked/);
  });

  it('that an older backup does not know is enrolled again with the token, or its worker says what is missing', async () => {
    const standing = await tokenFor();
    const single = await tokenFor({ uses: 1 });
    const [withToken, without] = [start(standing.text), start(single.text)];
    await Promise.all([taken(withToken), taken(without)]);
    // The backup is older than both keys, and than the second one's token.
    await bench.database.query('DELETE FROM lcm.worker_key WHERE id = ANY($1)', [
      [withToken.keys.public.id, without.keys.public.id],
    ]);
    await bench.database.query('DELETE FROM lcm.enrolment_token WHERE id = $1', [single.id]);
    const claims = [withToken, without].map((enrolment) => new NatsCoordinatorClient(new RequestClient(link), enrolment));
    // A second after it was last looked at, the key is looked for again.
    const unknown = (client: NatsCoordinatorClient): Promise<true> =>
      waitUntil(
        async () => {
          const [answer] = await Promise.allSettled([client.claim(await bench.readyStep())]);
          return answer.status === 'rejected' ? true : undefined;
        },
        { for: 'the key to be unknown', within: seconds(20), every: millis(100) },
      );
    await Promise.all(claims.map(unknown));
    await taken(withToken);
    expect(await claims[0]!.claim(await bench.readyStep())).toMatchObject({ granted: true });
    await says(without, /token-unknown.*enrolment-token create/);
  });
});
