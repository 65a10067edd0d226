import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { audited, drill, resting, type BegunStep, type Drilled } from './drill.js';

const stepOf = ({ operationId, stepId }: BegunStep): string => `${operationId} ${stepId}`;

/** What has to hold when a record is lost with so many operations in flight, and its backup restored. */
export function describeRestored(operations: number): void {
  describe(`a record restored with ${operations} operations in flight`, () => {
    vi.setConfig({ testTimeout: 600_000, hookTimeout: 1_800_000 });
    let drilled: Drilled;
    let close = (): Promise<void> => Promise.resolve();

    beforeAll(async () => {
      drilled = await drill(operations);
      ({ close } = drilled);
    });
    afterAll(() => close());

    it('had most of them in flight, and steps that ran', () => {
      expect(drilled.inFlight).toBeGreaterThan(operations / 2);
      expect(drilled.restored.unknownSteps).toBeGreaterThan(0);
    });

    it('had every VIM audited before any other step was claimed', () => {
      expect(drilled.claimsAtRelease.length).toBeGreaterThan(0);
      expect(new Set(drilled.claimsAtRelease.map(({ action }) => action))).toEqual(new Set(['audit-vim@1']));
    });

    it('gave no step an epoch again: each is above all that was given to it before', () => {
      const last = new Map<string, number>();
      for (const one of [...drilled.begun.before, ...drilled.begun.after]) {
        expect([stepOf(one), one.epoch > (last.get(stepOf(one)) ?? -1)]).toEqual([stepOf(one), true]);
        last.set(stepOf(one), one.epoch);
      }
      const highest = Math.max(...drilled.begun.before.map(({ epoch }) => epoch));
      expect(Math.min(...drilled.begun.after.map(({ epoch }) => epoch))).toBeGreaterThan(highest);
    });

    it('tells a person of what is not known, and of nothing else; a retry then ends it', async () => {
      const { system, atRest, restored } = drilled;
      const stood = [...atRest.values()].filter(({ operationState }) => operationState !== 'COMPLETED');
      for (const { operationState, error } of stood)
        expect([operationState, String((error as JsonObject | undefined)?.detail)]).toEqual([
          'FAILED_TEMP',
          expect.stringContaining('restored: what') as string,
        ]);
      expect(stood.length).toBeLessThanOrEqual(restored.unknownSteps);
      for (const { id } of stood)
        expect((await system.api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(id)}/retry`)).status).toBe(202);
      const ended = [...(await resting(system)).values()];
      expect(ended.map(({ operationState }) => operationState)).toEqual(Array.from({ length: operations }, () => 'COMPLETED'));
    });

    it('doubled nothing: each instance has one stack and one server, made once; what was made after the backup is told as left over', async () => {
      const { system, lost } = drilled;
      await system.emulator.settled();
      const made = system.emulator.count('POST', /\/stacks$/);
      const inventory = system.emulator.inventory();
      const stacks = inventory.flatMap((project) => project.stacks);
      // What had no stack yet when the record was lost left nothing.
      const left = lost
        .flatMap((path) => path.split('/').at(-1) ?? [])
        .filter((id) => stacks.some(({ name }) => name.includes(id)));
      expect(left.length).toBeGreaterThan(0);
      const all = operations + left.length;
      expect([stacks.length, inventory.flatMap((project) => project.servers).length, made]).toEqual([all, all, all]);
      const report = await audited(system);
      const orphans = (report.orphans as JsonObject[])
        .filter(({ type }) => type === 'stack')
        .map(({ vnfInstanceId }) => vnfInstanceId);
      expect(orphans.sort()).toEqual(left.sort());
      expect(report).toMatchObject({ missing: [], differences: [] });
    });
  });
}
