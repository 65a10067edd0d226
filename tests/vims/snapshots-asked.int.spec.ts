import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import type { BoundAction } from '@windlass/saga';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { program } from '../support/program.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { keptSnapshot } from './support/kept-snapshot.js';

const DRIVER = 'mgmt-drivers-clusters';
const SERVICE = 'clusters-mgmt';
/** As a driver's step says that it kept none. */
const NOTE = 'no snapshot of the control plane was kept: no master has an etcd';
const vnfdId = randomUUID();
const withoutDriver = randomUUID();

let system: System;
let driver: TestDriver;
let worker: TestWorker;
let olga: Replica;
let rita: Replica;
/** Of the VNF whose driver has made it a cluster. */
let id: string;

/** Whether the driver's step keeps one, or notes why it can't. */
let able = true;

const actions: BoundAction[] = [
  {
    key: 'keep@1',
    retry: { attempts: 1, backoff: 0 },
    within: undefined,
    apply: async ({ operationId }) => {
      if (!able) return { notes: [NOTE] };
      await keptSnapshot(system, id, Buffer.from('an archive'), { operationId });
      return undefined;
    },
  },
];

/** The package binds its instantiation's end to the driver, and no hook of a modification. */
const bound = (vnfd: string): string =>
  vnfd.replace(
    '\n    VDU1:',
    `\n      interfaces:\n        Vnflcm:\n          instantiate_end: { implementation: ${DRIVER} }\n    VDU1:`,
  );

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  worker = await startTestWorker(system, SERVICE, actions);
  driver = await startTestDriver(system, DRIVER, {
    service: SERVICE,
    hooks: ['instantiate_end', 'modify_information_end'],
    actions: [{ name: 'keep', version: 1 }],
    plan: ({ hook, request }) => ({
      root: {
        kind: 'sequence',
        of:
          hook === 'modify_information_end' && request.windlassSnapshots === 'take'
            ? [
                {
                  kind: 'step',
                  id: 'keep',
                  action: 'keep',
                  version: 1,
                  service: SERVICE,
                  input: {},
                  traits: { contributes: true },
                },
              ]
            : [],
      },
    }),
  });
  await onboardZip(system.api, scalingPackage(vnfdId, bound));
  await onboardZip(system.api, scalingPackage(withoutDriver));
  olga = await startReplica(system, { user: 'olga', roles: ['operator'] });
  rita = await startReplica(system, { user: 'rita', roles: ['reader'] });
  id = await instantiated(vnfdId);
});
afterAll(async () => {
  await Promise.all([olga.stop(), rita.stop()]);
  await worker.stop();
  await driver.stop();
  await system.close();
});

async function instantiated(of: string): Promise<string> {
  const url = await createVnf(system.api, of);
  const op = await atRest(system.api, await system.api.post(`${url}/instantiate`, scalingRequest('net0')));
  expect(op).toMatchObject({ operationState: 'COMPLETED' });
  return url.split('/').at(-1)!;
}

const pathOf = (of = id): string => `/windlass/v1/vnf_instances/${of}/snapshots`;
const ask = (by: Replica, of = id, body: unknown = { task: 'take' }) => by.api.post<JsonObject>(pathOf(of), body);

describe('a snapshot of a cluster’s control plane, on request', () => {
  it('is a modification that the driver of the cluster is asked for, though the VNFD binds none to it', async () => {
    const accepted = await ask(olga);
    expect(accepted.status, JSON.stringify(accepted.data)).toBe(202);
    const op = await atRest(olga.api, accepted);
    expect(op).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED' });
    const { data } = await rita.api.get<JsonObject[]>(pathOf());
    expect(data.map(({ operationId }) => operationId)).toEqual([op.id]);
    const entries = await system.database.query<JsonObject[]>(
      `SELECT actor, operation, vnf_instance_id, status, operation_id IS NOT NULL AS has_operation FROM lcm.audit_trail WHERE request_id = $1`,
      [accepted.headers['x-request-id']],
    );
    expect(entries).toEqual([{ actor: 'olga', operation: 'SNAPSHOTS', vnf_instance_id: id, status: 202, has_operation: true }]);
  });

  it('is followed and listed by the command line', async () => {
    const printed = (await program(system, 'vnf', 'snapshots', id, '--take')).join('\n');
    expect(printed).toMatch(/MODIFY_INFO COMPLETED[\s\S]*master 10\.10\.0\.24 {2}10 bytes/);
  });

  it('that could not be kept is told with why, and the command fails', async () => {
    able = false;
    try {
      await expect(program(system, 'vnf', 'snapshots', id, '--take')).rejects.toMatchObject({ code: 'snapshot.none-taken' });
      const accepted = await ask(olga);
      const { id: op } = await atRest(olga.api, accepted);
      const { data } = await olga.api.get<{ warnings: string[] }>(`/windlass/v1/operations/${String(op)}`);
      expect(JSON.stringify(data)).toContain(NOTE);
    } finally {
      able = true;
    }
  });

  it('is refused to a reader, to what is no task, and to more than one', async () => {
    expect(await ask(rita)).toMatchObject({ status: 403, data: { code: 'auth.role' } });
    for (const [body, path] of [
      [{}, '/task'],
      [{ task: 'burn' }, '/task'],
      [{ task: 'take', all: true }, '/all'],
    ] as const)
      expect(await ask(olga, id, body)).toMatchObject({ status: 400, data: { invalidParams: [{ path }] } });
  });

  it('is refused for what is no cluster, with what is missing', async () => {
    expect(await ask(olga, randomUUID())).toMatchObject({ status: 404, data: { code: 'vnf-instance.unknown' } });
    const fresh = (await createVnf(system.api, vnfdId)).split('/').at(-1)!;
    expect(await ask(olga, fresh)).toMatchObject({ status: 409, data: { code: 'vnf-instance.wrong-state' } });
    expect(await ask(olga, await instantiated(withoutDriver))).toMatchObject({
      status: 409,
      data: { code: 'snapshots.no-cluster' },
    });
  });

  it('is passed over in the standard’s own modification, as every member that it has not', async () => {
    const before = driver.told.length;
    const accepted = await olga.api.patch<JsonObject>(`/vnflcm/v1/vnf_instances/${id}`, { windlassSnapshots: 'take' });
    const op = await atRest(olga.api, accepted);
    expect(op).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED' });
    expect(JSON.stringify(op)).not.toContain('windlassSnapshots');
    expect(driver.told).toHaveLength(before);
  });
});
