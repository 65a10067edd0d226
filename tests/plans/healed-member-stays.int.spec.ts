import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import type { ShownPlan } from '@windlass/lcm-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { vnfView } from '../support/vnf-view.js';
import { planPath } from './support/plan-of.js';

let system: System;
/** A second later whenever Heat or Nova makes something: each is made in a second of its own. */
let clock = Date.parse('2026-11-29T00:00:00Z');

beforeAll(async () => {
  system = await startSystem({ emulator: { clock: () => (clock += 1_000) } });
  await registerVim(system);
});

afterAll(() => system.close());

it('a plan to scale in names the newest member, as the operation removes it, and not the one whose VM was healed last', async () => {
  const { vnfdId } = await onboardZip(system.api, scalingPackage(randomUUID()));
  const vnf = await vnfView(system, String(vnfdId), scalingRequest('net0'));
  const done = async (task: string, body: JsonObject) => {
    const ended = await atRest(system.api, await system.api.post(`${vnf.url}/${task}`, body));
    expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
    return ended;
  };
  const [oldest] = await vnf.ofVdu('node');
  await done('scale', { type: 'SCALE_OUT', aspectId: 'worker' });
  const newest = (await vnf.ofVdu('node')).find((id) => id !== oldest);
  await done('heal', { vnfcInstanceId: [oldest ?? ''] });

  const scaleIn = { type: 'SCALE_IN', aspectId: 'worker' };
  const { data: plan } = await system.api.post<ShownPlan>(planPath(`${vnf.url}/scale`), scaleIn);
  const serverOf = new Map((await vnf.vnfcs()).map(({ id, computeResource }) => [id, computeResource.resourceId]));
  const nameOf = new Map(system.emulator.inventory().flatMap(({ servers }) => servers.map(({ id, name }) => [id, name])));
  expect(plan.vms.toGo).toEqual([nameOf.get(serverOf.get(newest ?? '') ?? '')]);
  expect((await done('scale', scaleIn)).resourceChanges).toMatchObject({
    affectedVnfcs: [{ id: newest, changeType: 'REMOVED' }],
  });
  await vnf.remove();
});
