import { describe, expect, it } from 'vitest';
import { placementLabels } from './placement-labels.js';
import { bench } from '../../testing/bench.js';
import { flavour, plainParams, validateRequest, vnfc } from '../../testing/requests.js';

const hosted = (host: string | null, grantedZone?: string) => [
  vnfc('master', 1, '10.10.0.24', { host }),
  vnfc('worker', 1, '10.10.0.31', { host, ...(grantedZone === undefined ? {} : { grantedZone }) }),
];

describe('a worker whose place is known', () => {
  it('is labelled with its compute host, and with the zone of its grant', async () => {
    const { world, runner } = bench({ hook: { vnfcs: hosted('compute-1', 'az-west') } });
    await runner.run();
    expect(world.labels.get('worker31')).toEqual({
      'CIS-node': 'compute-1',
      'kubernetes.io/zone': 'az-west',
      'topology.kubernetes.io/zone': 'az-west',
    });
    expect(world.labels.has('master24')).toBe(false);
    const step = 'label-node:worker31';
    expect(await runner.action(step).check?.(runner.runOf(step, { epoch: 2, attemptEpoch: 2 }))).toMatchObject({
      output: undefined,
    });
    world.labels.set('worker31', { 'CIS-node': 'compute-2' });
    expect(await runner.action(step).check?.(runner.runOf(step, { epoch: 3, attemptEpoch: 3 }))).toBe(false);
  });

  it('has no label where it is not, and nothing in its place', async () => {
    const { world, runner } = bench({ hook: { vnfcs: hosted(null) } });
    await runner.run();
    expect(world.labels.size).toBe(0);
  });

  it('has no label of what Kubernetes takes for none, and the operation warns of it, also when the step is done again', async () => {
    const vnfcs = hosted('-rm', 'a b');
    const { world, runner } = bench({ hook: { vnfcs } });
    await runner.run();
    const step = 'label-node:worker31';
    expect(world.labels.get('worker31')).toBeUndefined();
    const notes = [
      expect.stringContaining('worker31 has no label of its compute host "-rm": a label\'s value has at most 63'),
      expect.stringContaining('worker31 has no label of its zone "a b"'),
    ];
    expect(runner.outputs.get(step)).toEqual({ notes });
    expect(await runner.action(step).check?.(runner.runOf(step, { epoch: 2, attemptEpoch: 2 }))).toEqual({ output: { notes } });
  });

  it('has no label of what Kubernetes takes for none: the wording', () => {
    expect(placementLabels({ host: '-rm', grantedZone: 'a b' })).toEqual({});
    expect(placementLabels({ host: 'x'.repeat(64) })).toEqual({});
    expect(placementLabels({ host: 'node-1.example', grantedZone: 'nova' })).toMatchObject({ 'CIS-node': 'node-1.example' });
  });
});

describe('a request for workers that are kept apart', () => {
  const needs = (apart?: string[]) =>
    bench().driver.validate(
      validateRequest(plainParams(), { flavour: { ...flavour(), ...(apart === undefined ? {} : { apart }) } }),
    ).needs;

  it('needs the compute hosts to be seen, before anything is made', () => {
    expect(needs(['workerNode'])).toEqual(['compute-host']);
    expect(needs(['masterNode'])).toBeUndefined();
    expect(needs([])).toBeUndefined();
    expect(needs()).toBeUndefined();
  });
});
