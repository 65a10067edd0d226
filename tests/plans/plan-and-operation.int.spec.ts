import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import type { ShownPlan } from '@windlass/lcm-api';
import { OPERATIONS, type LcmOperation } from '@windlass/lifecycle';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { contents, linesOf, planPath, ranBy } from './support/plan-of.js';

let system: System;
let vnf: string;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  const { vnfdId } = await onboardZip(system.api, scalingPackage(randomUUID()));
  vnf = await createVnf(system.api, vnfdId);
});

afterAll(() => system.close());

/** How an operation is asked for. */
interface Request {
  operation: LcmOperation;
  task?: string;
  body: () => JsonObject | Promise<JsonObject>;
}

const vnfcs = async (): Promise<JsonObject[]> => {
  const { data } = await system.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: JsonObject[] } }>(vnf);
  return data.instantiatedVnfInfo.vnfcResourceInfo;
};

/** In an order in which each is possible. */
const REQUESTS: readonly Request[] = [
  { operation: 'INSTANTIATE', task: 'instantiate', body: () => scalingRequest('net0') },
  { operation: 'SCALE', task: 'scale', body: () => ({ type: 'SCALE_OUT', aspectId: 'pair' }) },
  { operation: 'SCALE', task: 'scale', body: () => ({ type: 'SCALE_IN', aspectId: 'pair' }) },
  { operation: 'SCALE_TO_LEVEL', task: 'scale_to_level', body: () => ({ instantiationLevelId: 'wide' }) },
  { operation: 'HEAL', task: 'heal', body: async () => ({ vnfcInstanceId: [String((await vnfcs())[0]?.id)] }) },
  { operation: 'HEAL', task: 'heal', body: () => ({}) },
  {
    operation: 'OPERATE',
    task: 'operate',
    body: () => ({ changeStateTo: 'STOPPED', stopType: 'GRACEFUL', gracefulStopTimeout: 1 }),
  },
  {
    operation: 'CHANGE_EXT_CONN',
    task: 'change_ext_conn',
    body: () => ({
      extVirtualLinks: [
        {
          id: 'other',
          resourceId: 'net1',
          extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
        },
      ],
    }),
  },
  { operation: 'MODIFY_INFO', body: () => ({ vnfInstanceName: 'another' }) },
  { operation: 'TERMINATE', task: 'terminate', body: () => ({ terminationType: 'FORCEFUL' }) },
];

const send = <T>(path: string, { task }: Request, body: JsonObject) =>
  task === undefined
    ? system.api.patch<T>(path, body, { headers: { 'Content-Type': 'application/merge-patch+json' } })
    : system.api.post<T>(`${path}/${task}`, body);

/** Requests to the VIM that may change something there; a look at networks logs in and reads. */
const changes = (): number =>
  system.emulator.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/auth/tokens')).length;

describe('the plan of an operation', () => {
  it('is there for every operation', () => {
    const tried = new Set(REQUESTS.map(({ operation }) => operation));
    expect(OPERATIONS.all.map(({ operation }) => operation).filter((each) => !tried.has(each))).toEqual([]);
  });

  it.each(REQUESTS.map((request, index) => [`${index + 1}. ${request.operation}`, request] as const))(
    'shows the very steps that are run when it is asked for, and leaves no trace anywhere: %s',
    async (_title, request) => {
      const body = await request.body();
      const before = [await contents(system), changes()];
      const shown = await send<ShownPlan>(planPath(vnf), request, body);
      expect([shown.status, shown.data.operation], JSON.stringify(shown.data)).toEqual([200, request.operation]);
      expect([await contents(system), changes()]).toEqual(before);
      const accepted = await send(vnf, request, body);
      expect(await atRest(system.api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
      expect(linesOf(shown.data)).toEqual(await ranBy(system, accepted));
    },
  );
});
