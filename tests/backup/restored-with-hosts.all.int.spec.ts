import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LedgerLine } from '../chaos/judge/evidence.js';
import { doubledJobs } from '../chaos/judge/ledger.js';
import { audited, resting } from './drill.js';
import { hostDrill, SERVERS, type DrilledHosts, type InFlight } from './host-drill.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 1_200_000 });

let drilled: DrilledHosts;
let close = (): Promise<void> => Promise.resolve();

beforeAll(async () => {
  drilled = await hostDrill();
  ({ close } = drilled);
});
afterAll(() => close());

const titleOf = ({ kind, place, isBlind, wentOn }: InFlight): string =>
  `${kind}, in ${place}${isBlind ? ', without a check' : ''}${wentOn ? ', went on' : ''}`;

/** Its job was on the host when the backup was taken. */
const onHost = ({ place }: InFlight): boolean => place !== 'VIM';

/** A job ran then, and nothing shows what became of it. */
const isUnknown = ({ operationId, isBlind, wentOn }: InFlight): boolean =>
  drilled.unknown.get(operationId)?.endsWith('-work') === true && (isBlind || !wentOn);

const beginningsIn = (ledger: readonly LedgerLine[], operationId: string): number =>
  ledger.filter((line) => line.operationId === operationId && line.event === 'begin').length;

const occurrenceOf = ({ operationId }: InFlight): JsonObject => drilled.rested.occurrences.get(operationId) ?? {};

describe('a record restored while operations of every kind were on hosts and in the VIM', () => {
  it('has all of them that were held on the host, and most of those in the VIM', () => {
    const { operations, unknown } = drilled;
    expect(operations.filter((one) => onHost(one) && unknown.get(one.operationId)?.endsWith('-work') !== true)).toEqual([]);
    expect(unknown.size).toBeGreaterThan(operations.filter(onHost).length + operations.filter((one) => !onHost(one)).length / 2);
  });

  it('began nothing but audits before the VIMs had been audited', async () => {
    const { after } = await drilled.claims();
    const early = after.filter(({ beforeRelease }) => beforeRelease !== false);
    expect(new Set(early.map(({ action }) => action))).toEqual(new Set(['audit-vim']));
  });

  it('showed hosts epochs above all that they had seen', async () => {
    const { before, after } = await drilled.claims();
    expect(Math.min(...after.map(({ epoch }) => epoch))).toBeGreaterThan(Math.max(...before.map(({ epoch }) => epoch)));
    const fences = await drilled.host.fences();
    for (const [step, epoch] of drilled.lost.fences) expect([step, (fences.get(step) ?? 0) >= epoch]).toEqual([step, true]);
    // The worker was replaced after the backup: of what was held then, hosts had seen epochs that the record did not know.
    expect([...drilled.lost.fences.values()].filter((epoch) => epoch > 1).length).toBeGreaterThan(0);
  });

  it('left jobs alone that ran then: none began again, none was ended, until a person says so', () => {
    for (const { operationId } of drilled.operations.filter(onHost)) {
      const of = (ledger: readonly LedgerLine[]) => ledger.filter((line) => line.operationId === operationId);
      expect(of(drilled.rested.ledger)).toEqual(of(drilled.lost.ledger));
    }
  });

  it('ended what shows that it is done, and has all else wait for a person, with the step and the machine to look at', () => {
    const rested = drilled.operations.map((one) => {
      const { operationState, error } = occurrenceOf(one);
      const detail = String((error as JsonObject | undefined)?.detail);
      const [, step, machine] = /^restored: what "([^"]+)" on (\S+) did is not known/.exec(detail) ?? [];
      return [titleOf(one), operationState, step?.replace(/^[a-z]+_/, ''), machine];
    });
    const expected = drilled.operations.map((one) => {
      const title = titleOf(one);
      if (!isUnknown(one)) return [title, 'COMPLETED', undefined, undefined];
      return [title, 'FAILED_TEMP', `${one.place}/${one.isBlind ? 'blind' : 'seen'}-work`, `host-${one.vnfInstanceId}`];
    });
    expect(rested).toEqual(expected);
  });

  it('ends jobs that still run when a person has them done again, and then every operation', async () => {
    const { host, system, operations } = drilled;
    const waiting = operations.filter(isUnknown);
    const running = waiting.filter(({ wentOn }) => !wentOn);
    for (const { operationId } of waiting)
      expect((await system.api.post(`/vnflcm/v1/vnf_lcm_op_occs/${operationId}/retry`)).status).toBe(202);
    const { ledger: before } = drilled.rested;
    const beganAgain = (ledger: readonly LedgerLine[]) =>
      running.every(({ operationId }) => beginningsIn(ledger, operationId) > beginningsIn(before, operationId));
    await vi.waitUntil(async () => beganAgain(await host.ledger()), { timeout: 180_000, interval: 100 });
    for (const { vnfInstanceId, place } of running) if (place !== 'VIM') await host.open(vnfInstanceId, place);
    const ended = await resting(system);
    expect(operations.filter(({ operationId }) => ended.get(operationId)?.operationState !== 'COMPLETED')).toEqual([]);
  });

  it('has hosts refuse what a worker of before still asks for, with the highest epoch that it had', async () => {
    const { before } = await drilled.claims();
    for (const { operationId, vnfInstanceId } of drilled.operations.filter((one) => isUnknown(one) && !one.wentOn)) {
      const claims = before.filter((claim) => claim.operationId === operationId && claim.action.endsWith('-work'));
      const last = claims.at(-1);
      if (last === undefined) throw new Error(`no hook of ${operationId} was claimed before the record was lost`);
      await expect(drilled.host.lateJob(last, vnfInstanceId)).rejects.toMatchObject({ code: 'remote.stale-epoch' });
    }
  });

  it('ran no two jobs of a step at a time, none of an earlier attempt after a later one, and none again but what a person or the record asked for', async () => {
    const { before, after } = await drilled.claims();
    const ledger = await drilled.host.ledger();
    expect(doubledJobs({ ledger, claims: [...before, ...after] })).toEqual([]);
    const ends = (operationId: string): number =>
      ledger.filter((line) => line.operationId === operationId && line.event === 'end').length;
    // Twice: what a person has retried, and what had not begun in the backup where no check sees that it is done since.
    const expected = ({ operationId, place, isBlind, wentOn }: InFlight): number =>
      2 + (isBlind && wentOn && drilled.unknown.has(operationId) ? (place === 'start' ? 2 : 1) : 0);
    expect(drilled.operations.map((one) => [titleOf(one), ends(one.operationId)])).toEqual(
      drilled.operations.map((one) => [titleOf(one), expected(one)]),
    );
  });

  it('doubled no stack and no machine, made none of what was terminated again, and tells what was done after the backup', async () => {
    const { system, operations, forgotten } = drilled;
    await system.emulator.settled();
    const inventory = system.emulator.inventory();
    const stacks = inventory.flatMap((project) => project.stacks);
    const servers = inventory.flatMap((project) => project.servers.map(({ id }) => id));
    const found: [title: string, stacks: number, servers: number][] = [];
    const known: string[] = [];
    for (const one of operations) {
      const { data } = await system.api.get<InstanceView>(one.vnf);
      const its = (data.instantiatedVnfInfo?.vnfcResourceInfo ?? []).map(({ computeResource }) => computeResource.resourceId);
      found.push([titleOf(one), stacks.filter(({ name }) => name === `vnf-${one.vnfInstanceId}`).length, its.length]);
      known.push(...its);
    }
    expect(found).toEqual(operations.map((one) => [titleOf(one), Number(one.kind !== 'terminate'), SERVERS[one.kind]]));
    // One is of the instance that the record does not know any more.
    expect([new Set(known).size, known.filter((id) => !servers.includes(id)), servers.length]).toEqual([
      known.length,
      [],
      known.length + 1,
    ]);

    const report = await audited(system);
    const findings = (of: string) => report[of] as { type: string; id: string; vnfInstanceId?: string }[];
    expect(findings('orphans').filter(({ type }) => type === 'stack')).toMatchObject([{ vnfInstanceId: forgotten.instantiated }]);
    expect(findings('missing').filter(({ type }) => type === 'stack')).toMatchObject([{ vnfInstanceId: forgotten.terminated }]);
    expect(report.differences).toEqual([]);
  });
});

interface InstanceView {
  instantiatedVnfInfo?: { vnfcResourceInfo?: { computeResource: { resourceId: string } }[] };
}
