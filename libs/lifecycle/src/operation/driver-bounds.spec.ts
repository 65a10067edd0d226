import type { CompiledStep, JournalTransaction, StepRecord } from '@windlass/saga';
import { compileBounded, newStep } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { mayRead } from './driver-bounds.js';
import { countedAs } from '../records/limit-keys.js';

const compiled = (id: string, more: Partial<CompiledStep> = {}): CompiledStep => ({
  id,
  parentId: null,
  action: 'act',
  version: 1,
  service: 'a-mgmt',
  target: null,
  input: {},
  deps: [],
  limitKeys: [],
  groups: [],
  traits: {},
  ...more,
});
const hook = (id: string, target: string): CompiledStep =>
  compiled(id, { action: 'ask-driver', service: 'saga-coordinator', target });

/** Two drivers' hooks, each with a step; one of those became a plan itself. */
const steps = [
  compiled('read-stack', { service: 'infra-driver' }),
  hook('scale_start', 'driver-a'),
  compiled('scale_start/save', { parentId: 'scale_start' }),
  hook('heal_start', 'driver-b'),
  compiled('heal_start/secret', { parentId: 'heal_start' }),
  hook('scale_end', 'driver-a'),
  compiled('scale_end/outer', { parentId: 'scale_end' }),
  compiled('scale_end/outer/inner', { parentId: 'scale_end/outer' }),
  compiled('stray', { service: 'infra-driver' }),
  compiled('stray/child', { parentId: 'stray' }),
].map((step, seq) => newStep('op', seq, step));
const tx = { steps } as unknown as JournalTransaction;
const find = (id: string): StepRecord => steps.find((step) => step.id === id)!;

describe('a machine that a driver’s plan has steps on', () => {
  it('is counted for its VNF instance alone: another tenant’s VIM may give one the same id', () => {
    const step = {
      kind: 'step',
      id: 'look',
      action: 'look',
      version: 1,
      service: 'a-mgmt',
      input: {},
      limits: ['host:s1', 'a-mgmt:x'],
    };
    const keysOf = (vnfInstanceId: string) =>
      compileBounded({ root: step }, 'scale_end', {
        driver: 'driver-a',
        service: 'a-mgmt',
        actions: [{ name: 'look', version: 1 }],
        offers: [],
        sources: new Set(),
        steps: new Set(),
        limits: new Set(['host:s1']),
        countedAs: (key) => countedAs(vnfInstanceId, key),
      }).steps[0]?.limitKeys;
    expect(keysOf('one')).toEqual(['host:one/s1', 'a-mgmt:x']);
    expect(keysOf('another')).toEqual(['host:another/s1', 'a-mgmt:x']);
  });
});

describe('a step of a driver’s plan that is claimed, whatever was compiled', () => {
  it.each([
    'vnfc:1',
    'instantiate-params',
    'request-params',
    'common:scale_end/outer',
    'step:scale_end/outer',
    'step:scale_start/save',
  ])('may be given %s', (source) => {
    expect(mayRead(tx, find('scale_end/outer/inner'), source)).toBe(true);
  });

  it.each([
    'vim',
    'request',
    'request-for-vim',
    'stack',
    'leftovers-vim',
    'flavour',
    'deployment-tag',
    'common:',
    'common:scale_end',
    'common:heal_start',
    'step:read-stack',
    'step:scale_end',
    'step:heal_start/secret',
    'step:stray/child',
    'step:nowhere',
    'step:',
    '',
  ])('is not given %s', (source) => {
    expect(mayRead(tx, find('scale_end/outer/inner'), source)).toBe(false);
  });

  it('is given nothing of another step where it stands below no hook', () => {
    expect(mayRead(tx, find('stray/child'), 'step:scale_start/save')).toBe(false);
  });
});
