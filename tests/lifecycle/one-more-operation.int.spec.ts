import type { JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  atRest,
  createVnf,
  onboard,
  registerVim,
  sampleRequest,
  startSystem,
  type System,
  warningsOf,
} from '../support/system.js';
import { linkRequest, REFUSED_LINK, withSample } from './support/sample-operation.js';

let system: System;
let vnf: string;
const task = (): string => `${vnf}/change_ext_conn`;

beforeAll(async () => {
  system = await startSystem({ operations: withSample });
  await registerVim(system);
  vnf = await createVnf(system.api, (await onboard(system.api, 'simple-vm')).vnfdId);
});

afterAll(() => system.close());

const linksOf = async (): Promise<string[]> =>
  Object.keys((await system.api.get<{ _links: JsonObject }>(vnf)).data._links).filter((name) => name !== 'self');

describe('an operation that is a row in the table, over REST', () => {
  it('has a resource that takes no GET, and no link before the instance is instantiated', async () => {
    const shown = await system.api.get<JsonObject>(task());
    expect([shown.status, shown.headers.allow]).toEqual([405, 'POST']);
    expect(await linksOf()).toEqual(['instantiate']);
    const early = await system.api.post<JsonObject>(task(), linkRequest('net1'));
    expect([early.status, early.data.code]).toEqual([409, 'vnf-instance.wrong-state']);
  });

  it('is linked to, checked, carried out and shown as all others are', async () => {
    const { api } = system;
    await atRest(api, await api.post(`${vnf}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')));
    expect((await linksOf()).sort()).toEqual(['changeExtConn', 'heal', 'operate', 'scale', 'terminate']);
    expect((await api.post<JsonObject>(task(), {})).status).toBe(400);
    expect((await api.post<JsonObject>(task(), linkRequest(REFUSED_LINK))).data).toMatchObject({
      status: 400,
      invalidParams: [{ path: '/extVirtualLinks/0/id' }],
    });
    const opOcc = await atRest(api, await api.post(task(), linkRequest('net1')));
    expect(schemaErrors('VnfLcmOpOcc', opOcc)).toEqual([]);
    expect(opOcc).toMatchObject({
      operation: 'CHANGE_EXT_CONN',
      operationState: 'COMPLETED',
      operationParams: linkRequest('net1'),
    });
    expect(await warningsOf(api, opOcc)).toEqual(['links: 1']);
    expect((await api.get<JsonObject>(vnf)).data.metadata).toEqual({ network: 'net1' });
  });
});
