import { describe, expect, it } from 'vitest';
import { OPERATIONS, type LcmOperation } from '@windlass/lifecycle';
import { Random } from '../random.js';
import { nextAnswer, nextTrouble, nextRequestedOperation, type InstanceView } from './walk.js';

const ALL = new Set(OPERATIONS.all.map(({ operation }) => operation));
const idle: InstanceView = { instantiated: false, scaleLevel: 0, vnfcIds: [], vnfState: 'STARTED' };
const running = (scaleLevel: number): InstanceView => ({
  instantiated: true,
  scaleLevel,
  vnfcIds: Array.from({ length: scaleLevel + 1 }, (_, n) => `vnfc-${n}`),
  vnfState: 'STARTED',
});
const stopped: InstanceView = { ...running(1), vnfState: 'STOPPED' };
const many = Array.from({ length: 300 }, (_, n) => Random.of(7, `step ${n}`));

describe('the walk of an instance', () => {
  it('asks for the same with the same seed, and for something else with another', () => {
    const allRequested = (seed: number) =>
      many.map((_, n) => {
        const requested = nextRequestedOperation(Random.of(seed, `step ${n}`), running(1), ALL, 'net0');
        return JSON.stringify([requested, nextTrouble(Random.of(seed, `step ${n}`), requested)]);
      });
    expect(allRequested(7)).toEqual(allRequested(7));
    expect(allRequested(7)).not.toEqual(allRequested(8));
  });

  it('never asks for what the state does not allow', () => {
    for (const random of many) {
      expect(['INSTANTIATE', 'MODIFY_INFO']).toContain(nextRequestedOperation(random, idle, ALL, 'net0').operation);
      expect(nextRequestedOperation(random, running(0), ALL, 'net0').operation).not.toBe('INSTANTIATE');
      expect(['OPERATE', 'CHANGE_EXT_CONN', 'MODIFY_INFO', 'TERMINATE']).toContain(
        nextRequestedOperation(random, stopped, ALL, 'net0').operation,
      );
    }
  });

  it('scales within what the aspect allows', () => {
    for (const level of [0, 1, 2, 3]) {
      for (const random of many) {
        const { operation, body } = nextRequestedOperation(random, running(level), ALL, 'net0');
        if (operation !== 'SCALE') continue;
        const after = level + (body.type === 'SCALE_OUT' ? 1 : -1) * Number(body.numberOfSteps);
        expect(after).toBeGreaterThanOrEqual(0);
        expect(after).toBeLessThanOrEqual(3);
        expect(after).not.toBe(level);
      }
    }
  });

  it('asks for levels that the package has', () => {
    const asked = many
      .map((random) => nextRequestedOperation(random, running(1), ALL, 'net0'))
      .filter(({ operation }) => operation === 'SCALE_TO_LEVEL');
    const levels = asked.flatMap(({ body }) => (body.scaleInfo ?? []) as { scaleLevel: number }[]);
    expect(new Set(levels.map(({ scaleLevel }) => scaleLevel))).toEqual(new Set([0, 1, 2, 3]));
    const ids = new Set(asked.map(({ body }) => body.instantiationLevelId));
    expect(ids).toEqual(new Set([undefined, 'one', 'three']));
  });

  it('comes to every operation that the build has, and to no other', () => {
    const seen = new Set(
      many.flatMap((random) => [idle, running(1)].map((view) => nextRequestedOperation(random, view, ALL, 'n').operation)),
    );
    expect(seen).toEqual(ALL);
    const few = new Set<LcmOperation>(['INSTANTIATE', 'TERMINATE']);
    const seenOfFew = new Set(
      many.flatMap((random) => [idle, running(1)].map((v) => nextRequestedOperation(random, v, few, 'n').operation)),
    );
    expect(seenOfFew).toEqual(few);
  });

  it('gives every operation that keeps failing up in the end', () => {
    for (const random of many) expect(nextAnswer(random, 4, 'SCALE')).toBe('fail');
    expect(new Set(many.map((random) => nextAnswer(random, 0, 'INSTANTIATE')))).toEqual(new Set(['retry', 'rollback', 'fail']));
  });
});
