import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';
import { inState, instantiate, opOccPath, running, startReplica, stepsOf } from './support/replicas.js';

let system: System;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});

afterAll(() => system.close());

const countsOf = async (operationId: string): Promise<unknown> =>
  (await system.api.get<JsonObject>(`/windlass/v1/operations/${operationId}`)).data.steps;

describe('the steps of an operation', () => {
  it('show what runs, by whom, and who waits for it; at the end all as done', async () => {
    const { api, emulator } = system;
    emulator.faults.add({ kind: 'slow-stack', delayMs: 2_000, times: 1 });
    const { operationId } = await instantiate(api, vnfdId);
    const steps = await running(api, operationId);
    const runs = steps.find(({ state }) => state === 'running');
    expect(runs).toMatchObject({ service: 'infra-driver', attempt: 1, phase: 'do', endedAt: null, waitsFor: [] });
    expect(runs?.startedAt).toEqual(expect.any(String));
    expect(steps.find(({ waitsFor }) => waitsFor.some((wait) => wait.for === 'step' && wait.id === runs?.id))).toMatchObject({
      state: 'waiting',
      startedAt: null,
    });
    const op = await inState(api, operationId, 'COMPLETED');
    const ended = await stepsOf(api, operationId);
    expect(ended.map(({ state }) => state)).toEqual(ended.map(() => 'done'));
    expect(op.operationState).toBe('COMPLETED');
    expect(await countsOf(operationId)).toMatchObject({ total: ended.length, done: ended.length, running: 0, failed: 0 });
  });

  it('are linked to by the occurrence’s Link header; its body has what the standard knows alone', async () => {
    const { api } = system;
    const { operationId } = await instantiate(api, vnfdId);
    await inState(api, operationId, 'COMPLETED');
    const { data: op, headers } = await api.get<JsonObject>(opOccPath(operationId));
    expect(JSON.stringify(op)).not.toContain('windlass');
    const links = new Map(
      [...String(headers.link).matchAll(/<([^>]+)>; rel="urn:windlass:rel:(\w+)"/g)].map(([, url, name]) => [name, url]),
    );
    expect([...links.keys()]).toEqual(['operation', 'steps', 'events']);
    const { data: shown } = await api.get<JsonObject>(links.get('operation')!);
    expect(shown).toMatchObject({ id: operationId, operation: 'INSTANTIATE', operationState: 'COMPLETED' });
    expect((await api.get<JsonObject[]>(links.get('steps')!)).data).toHaveLength((shown.steps as JsonObject).total as number);
  });

  it('tell a failure with its reason, and how many attempts there are', async () => {
    const { api, emulator } = system;
    emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'No valid host.', times: 1 });
    const { operationId } = await instantiate(api, vnfdId);
    await inState(api, operationId, 'FAILED_TEMP');
    const failed = (await stepsOf(api, operationId)).find(({ state }) => state === 'failed');
    expect(failed).toMatchObject({ action: 'create-stack', waitsFor: [], attemptsAllowed: expect.any(Number) as number });
    expect(failed?.error?.detail).toContain('No valid host.');
    await api.post(`${opOccPath(operationId)}/rollback`);
    const rolled = await inState(api, operationId, 'ROLLED_BACK');
    expect(rolled.operationState).toBe('ROLLED_BACK');
    expect(await countsOf(operationId)).toMatchObject({ failed: 0, undone: expect.any(Number) as number });
  });

  it('are not there for another project, and 404 for an operation that nobody has', async () => {
    const { api } = system;
    const { operationId } = await instantiate(api, vnfdId);
    const stranger = await startReplica(system, { tenant: 'other', user: 'stranger' });
    try {
      for (const [of, id] of [
        [stranger.api, operationId],
        [api, randomUUID()],
        [api, 'no-uuid'],
      ] as const)
        expect((await of.get<JsonObject>(`/windlass/v1/operations/${id}/steps`)).status).toBe(404);
    } finally {
      await stranger.stop();
    }
    await inState(api, operationId, 'COMPLETED');
    expect(await stepsOf(api, operationId)).not.toEqual([]);
  });
});
