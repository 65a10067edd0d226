import { expect, it } from 'vitest';
import { outOfSequence, type OrderedStep } from './support/sequence.js';

const at = (second: number): string => new Date(second * 1_000).toISOString();
const step = (action: string, from: number, to: number): OrderedStep => ({
  action,
  service: 'storage-mgmt',
  startedAt: at(from),
  endedAt: at(to),
});

const SEQUENCE = [['set-up-storage', 'install-nfs-client'], ['register-persistent-volumes']];

it.each([
  ['nothing, where steps side by side end before the next begins', [1, 5], []],
  [
    'a step that began before one of those before it had ended',
    [4, 4],
    ['register-persistent-volumes began before install-nfs-client had ended'],
  ],
])('a sequence of a document is held against steps: %s', (_title, [ends, begins], wrong) => {
  const steps = [
    step('register-persistent-volumes', begins!, 9),
    step('set-up-storage', 0, 1),
    step('install-nfs-client', 0, ends! + 1),
    step('join-worker', 0, 20),
  ];
  expect(outOfSequence(steps, SEQUENCE)).toEqual(wrong);
});

it('a step that a document has and the operation has not is named', () => {
  expect(outOfSequence([step('set-up-storage', 0, 1)], SEQUENCE)).toEqual([
    'found set-up-storage, and set-up-storage, install-nfs-client was expected',
    'found , and register-persistent-volumes was expected',
  ]);
});
