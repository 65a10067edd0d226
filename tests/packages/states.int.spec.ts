import { randomUUID } from 'node:crypto';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createVnf, onboardZip, startSystem, type System } from '../support/system.js';
import { signedPackage } from './support/packages.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.close());

interface Onboarded {
  vnfPkgId: string;
  vnfdId: string;
  path: string;
}

async function newPackage(): Promise<Onboarded> {
  const { zip, vnfdId } = signedPackage();
  const vnfPkgId = String((await onboardZip(system.api, zip)).id);
  return { vnfPkgId, vnfdId, path: `${PACKAGES}/${vnfPkgId}` };
}

const patch = (path: string, body: unknown) => system.api.patch<JsonObject>(path, body);
const shown = async (path: string): Promise<JsonObject> => (await system.api.get<JsonObject>(path)).data;
const disabled = (path: string) => patch(path, { operationalState: 'DISABLED' });

/** What of a package was told so far, whether it was sent already or not. */
async function told({ vnfPkgId }: Onboarded): Promise<JsonObject[]> {
  return system.database.query<JsonObject[]>(
    `SELECT subject, message FROM lcm.outbox_kept WHERE message->>'vnfPkgId' = $1 ORDER BY id`,
    [vnfPkgId],
  );
}

beforeAll(async () => {
  // The relay removes what it has sent.
  await system.database.query('CREATE TABLE lcm.outbox_kept (id bigserial, subject text, message jsonb)');
  await system.database.query(
    `CREATE FUNCTION lcm.keep_outbox() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN INSERT INTO lcm.outbox_kept (subject, message) VALUES (NEW.subject, NEW.message); RETURN NEW; END $$`,
  );
  await system.database.query('CREATE TRIGGER keep AFTER INSERT ON lcm.outbox FOR EACH ROW EXECUTE FUNCTION lcm.keep_outbox()');
});

describe('the operational state of a package (conformance 15)', () => {
  it('is changed with the answer of what changed, and the same once more is 409', async () => {
    const { path } = await newPackage();
    for (const operationalState of ['DISABLED', 'ENABLED']) {
      const changed = await patch(path, { operationalState });
      expect([changed.status, changed.data]).toEqual([200, { operationalState }]);
      expect(schemaErrors('VnfPkgInfoModification', changed.data)).toEqual([]);
      expect(await shown(path)).toMatchObject({ operationalState, onboardingState: 'ONBOARDED' });
      const again = await patch(path, { operationalState });
      expect([again.status, again.data.code]).toEqual([409, 'vnf-package.same-state']);
    }
  });

  it('is not there before onboarding: 400', async () => {
    const { data } = await system.api.post<{ id: string }>(PACKAGES, {});
    for (const operationalState of ['ENABLED', 'DISABLED']) {
      const answer = await patch(`${PACKAGES}/${data.id}`, { operationalState });
      expect([answer.status, answer.data.code]).toEqual([400, 'vnf-package.not-onboarded']);
    }
  });

  it('of a DISABLED one lets no instance be made', async () => {
    const { path, vnfdId } = await newPackage();
    await disabled(path);
    const refused = await system.api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId });
    expect([refused.status, refused.data.code]).toEqual([409, 'vnf-package.disabled']);
  });

  it.each([
    [{}, ''],
    [{ operationalState: null }, '/operationalState'],
    [{ operationalState: 'enabled' }, '/operationalState'],
    [{ userDefinedData: 'text' }, '/userDefinedData'],
    [{ userDefinedData: { a: '\0' } }, '/userDefinedData/a'],
    [[], ''],
  ])('is not changed by %j: 400', async (body, place) => {
    const { path } = await onceOnboarded();
    const answer = await patch(path, body);
    expect([answer.status, (answer.data.invalidParams as JsonObject[])[0]?.path]).toEqual([400, place]);
  });
});

let once: Promise<Onboarded> | undefined;
const onceOnboarded = (): Promise<Onboarded> => (once ??= newPackage());

describe('userDefinedData of a package', () => {
  it('is changed by a merge patch, before onboarding too', async () => {
    const { data } = await system.api.post<{ id: string }>(PACKAGES, { userDefinedData: { keep: 1, deep: { a: 1, b: 2 } } });
    const path = `${PACKAGES}/${data.id}`;
    const changed = await system.api.patch<JsonObject>(
      path,
      { userDefinedData: { deep: { a: null, c: 3 }, more: 'x' } },
      { headers: { 'Content-Type': 'application/merge-patch+json' } },
    );
    const userDefinedData = { keep: 1, deep: { b: 2, c: 3 }, more: 'x' };
    expect([changed.status, changed.data]).toEqual([200, { userDefinedData }]);
    expect(await shown(path)).toMatchObject({ userDefinedData });
    const same = await patch(path, { userDefinedData: { deep: { c: 3 }, nothing: null } });
    expect([same.status, same.data.code]).toEqual([409, 'vnf-package.same-data']);
    expect((await patch(path, { userDefinedData: null })).data).toEqual({ userDefinedData: {} });
  });

  it('loses nothing to a change at the same time', async () => {
    const { path } = await onceOnboarded();
    const keys = Array.from({ length: 20 }, (_one, n) => `k${n}`);
    const answers = await Promise.all(keys.map((key) => patch(path, { userDefinedData: { [key]: 1 } })));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
    const { userDefinedData } = await shown(path);
    expect(Object.keys(userDefinedData as JsonObject)).toEqual(expect.arrayContaining(keys));
  });
});

describe('the usage state of a package', () => {
  it('is IN_USE from its first instance to the deletion of the last one', async () => {
    const { path, vnfdId } = await newPackage();
    const states: unknown[] = [(await shown(path)).usageState];
    const [first, second] = [await createVnf(system.api, vnfdId), await createVnf(system.api, vnfdId)];
    states.push((await shown(path)).usageState);
    await system.api.delete(first);
    states.push((await shown(path)).usageState);
    await system.api.delete(second);
    states.push((await shown(path)).usageState);
    expect(states).toEqual(['NOT_IN_USE', 'IN_USE', 'IN_USE', 'NOT_IN_USE']);
  });

  it('of one in use and of an ENABLED one forbid its deletion (conformance 15)', async () => {
    const { path, vnfdId } = await newPackage();
    const instance = await createVnf(system.api, vnfdId);
    const enabled = await system.api.delete<JsonObject>(path);
    expect([enabled.status, enabled.data.code]).toEqual([409, 'vnf-package.enabled']);
    await disabled(path);
    const inUse = await system.api.delete<JsonObject>(path);
    expect([inUse.status, inUse.data.code]).toEqual([409, 'vnf-package.in-use']);
    await system.api.delete(instance);
    expect((await system.api.delete(path)).status).toBe(204);
    expect((await system.api.get(path)).status).toBe(404);
    expect((await system.api.delete(path)).status).toBe(404);
  });
});

describe('an instance that is made while its package goes', () => {
  afterEach(() => system.database.query('DROP TRIGGER IF EXISTS slow ON lcm.vnf_instance'));

  /** Instances are inserted in a transaction that stays open until the lock is given up. */
  async function heldUp(): Promise<() => Promise<void>> {
    const key = Math.floor(Math.random() * 2 ** 31);
    await system.database.query(
      `CREATE OR REPLACE FUNCTION lcm.wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${key}); RETURN NEW; END $$`,
    );
    await system.database.query(
      'CREATE TRIGGER slow AFTER INSERT ON lcm.vnf_instance FOR EACH ROW EXECUTE FUNCTION lcm.wait_for_test()',
    );
    const holder = system.database.createQueryRunner();
    await holder.query('SELECT pg_advisory_lock($1)', [key]);
    return async () => {
      await holder.query('SELECT pg_advisory_unlock($1)', [key]);
      await holder.release();
    };
  }

  /** How many sessions wait for a lock. */
  const waiting = (sessions: number): Promise<boolean> =>
    waitUntil(
      async (seen) => {
        const [row] = await system.database.query<{ n: number }[]>(
          `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        );
        seen(String(row?.n));
        return (row?.n ?? 0) >= sessions ? true : undefined;
      },
      { for: `${sessions} sessions to wait for a lock`, within: seconds(20), every: millis(20) },
    );

  it('is there first: the package can be neither disabled nor deleted meanwhile', async () => {
    const { path, vnfdId } = await newPackage();
    const release = await heldUp();
    const creating = system.api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId });
    await waiting(1);
    const disabling = disabled(path);
    await waiting(2);
    await release();
    expect((await creating).status).toBe(201);
    expect((await disabling).status).toBe(200);
    expect((await system.api.delete(path)).status).toBe(409);
    expect(await shown(path)).toMatchObject({ usageState: 'IN_USE', operationalState: 'DISABLED' });
  });

  it('comes with many others and a deletion: the package is in use, or nobody got an instance of it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { path, vnfdId } = await newPackage();
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, () => system.api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId })),
        disabled(path).then(() => system.api.delete(path)),
      ]);
      const deletion = answers.pop();
      const made = answers.filter(({ status }) => status === 201);
      expect(answers.every(({ status }) => [201, 404, 409].includes(status))).toBe(true);
      expect(deletion?.status).toBe(made.length === 0 ? 204 : 409);
    }
  });
});

describe('what is told of packages (conformance 15)', () => {
  it('is onboarding, each change of the operational state, and deletion, each once', async () => {
    const one = await newPackage();
    await disabled(one.path);
    await patch(one.path, { operationalState: 'DISABLED' });
    await patch(one.path, { operationalState: 'ENABLED', userDefinedData: { a: 1 } });
    await patch(one.path, { userDefinedData: { a: 2 } });
    await disabled(one.path);
    await system.api.delete(one.path);
    const { vnfPkgId, vnfdId } = one;
    expect(await told(one)).toEqual(
      ['onboarded', 'disabled', 'enabled', 'disabled', 'deleted'].map((change) => ({
        subject: `windlass.event.package.${change}`,
        message: { change, vnfPkgId, vnfdId },
      })),
    );
  });

  it('is nothing of one that never was ONBOARDED', async () => {
    const { data } = await system.api.post<{ id: string }>(PACKAGES, { userDefinedData: { of: randomUUID() } });
    expect((await system.api.delete(`${PACKAGES}/${data.id}`)).status).toBe(204);
    expect(await told({ vnfPkgId: data.id, vnfdId: '', path: '' })).toEqual([]);
  });
});
