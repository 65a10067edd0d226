import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { ApiClient, JsonLines, PlainLines, watchOperation } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';
import { instantiate, running, startReplica } from './support/replicas.js';

let system: System;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});

afterAll(() => system.close());

describe('watching an operation', () => {
  it('goes on over a restart of lcm-api, says each step’s end once, and ends with the operation', async () => {
    const first = await startReplica(system, { user: 'watcher' });
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: 3_000, times: 1 });
    const { operationId } = await instantiate(system.api, vnfdId);
    await running(system.api, operationId);
    const lines: string[] = [];
    const watching = watchOperation(
      new ApiClient(first.url, first.token),
      operationId,
      new PlainLines((line) => lines.push(line)),
    );
    await first.stop();
    const second = await startReplica(system, { user: 'watcher', port: Number(new URL(first.url).port) });
    expect(await watching).toMatchObject({ operationState: 'COMPLETED' });
    const ended = lines.filter((line) => line.includes(' s  '));
    expect(ended.some((line) => line.includes('create-stack'))).toBe(true);
    expect(new Set(ended).size).toBe(ended.length);
    await second.stop();
  });

  it('ends where the operation stands until somebody says how it goes on', async () => {
    const { faults } = system.emulator;
    faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'No valid host.', times: 1 });
    const replica = await startReplica(system, { user: 'watcher' });
    const { operationId } = await instantiate(system.api, vnfdId);
    const lines: JsonObject[] = [];
    const display = new JsonLines((line) => lines.push(JSON.parse(line) as JsonObject));
    const opOcc = await watchOperation(new ApiClient(replica.url, replica.token), operationId, display);
    expect(opOcc).toMatchObject({ operationState: 'FAILED_TEMP' });
    expect(lines.some(({ event, state }) => event === 'step' && state === 'failed')).toBe(true);
    await replica.stop();
  });

  it('is refused at once for an operation that is not there', async () => {
    const replica = await startReplica(system, { user: 'watcher' });
    const watching = watchOperation(new ApiClient(replica.url, replica.token), randomUUID(), new PlainLines(() => undefined));
    await expect(watching).rejects.toThrow('404');
    await replica.stop();
  });
});
