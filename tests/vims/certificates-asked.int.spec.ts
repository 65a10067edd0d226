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

const DRIVER = 'mgmt-drivers-clusters';
const SERVICE = 'clusters-mgmt';
const vnfdId = randomUUID();
const withoutDriver = randomUUID();
const CERTIFICATES = [{ master: '10.0.0.1', name: 'apiserver.crt', endsAt: 1_795_000_000 }];

let system: System;
let driver: TestDriver;
let worker: TestWorker;
let olga: Replica;
let rita: Replica;
/** Of the VNF whose driver has made it a cluster. */
let id: string;

/** What the driver's step was asked for. */
const tasks: string[] = [];

const actions: BoundAction[] = [
  {
    key: 'list@1',
    retry: { attempts: 1, backoff: 0 },
    within: undefined,
    apply: ({ input }) => {
      tasks.push((input as { task: string }).task);
      return Promise.resolve({ instance: { certificates: CERTIFICATES } });
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
    actions: [{ name: 'list', version: 1 }],
    plan: ({ hook, request }) => ({
      root: {
        kind: 'sequence',
        of:
          hook === 'modify_information_end' && typeof request.windlassCertificates === 'string'
            ? [
                {
                  kind: 'step',
                  id: 'list',
                  action: 'list',
                  version: 1,
                  service: SERVICE,
                  input: { task: request.windlassCertificates },
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

const ask = (by: Replica, of = id, body: unknown = { task: 'look' }) =>
  by.api.post<JsonObject>(`/windlass/v1/vnf_instances/${of}/certificates`, body);

describe('a look at the certificates of a cluster, on request', () => {
  it('is a modification that the driver of the cluster is asked for, though the VNFD binds none to it', async () => {
    const accepted = await ask(olga);
    expect(accepted.status, JSON.stringify(accepted.data)).toBe(202);
    expect(await atRest(olga.api, accepted)).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED' });
    const { data } = await olga.api.get<{ instantiatedVnfInfo: { metadata: JsonObject } }>(`/vnflcm/v1/vnf_instances/${id}`);
    expect(data.instantiatedVnfInfo.metadata.windlassCertificates).toMatchObject({
      certificates: [{ master: '10.0.0.1', name: 'apiserver.crt', endsAt: '2026-11-18T11:06:40.000Z' }],
    });
    const entries = await system.database.query<JsonObject[]>(
      `SELECT actor, operation, vnf_instance_id, status, operation_id IS NOT NULL AS has_operation FROM lcm.audit_trail WHERE request_id = $1`,
      [accepted.headers['x-request-id']],
    );
    expect(entries).toEqual([
      { actor: 'olga', operation: 'CERTIFICATES', vnf_instance_id: id, status: 202, has_operation: true },
    ]);
  });

  it('is followed and shown by the command line', async () => {
    const printed = (await program(system, 'vnf', 'certificates', id, '--look')).join('\n');
    expect(printed).toMatch(/MODIFY_INFO COMPLETED[\s\S]*10\.0\.0\.1 +apiserver\.crt/);
  });

  it('tells the driver that they are to be renewed where that is asked for, by REST and by the command line', async () => {
    tasks.length = 0;
    const accepted = await ask(olga, id, { task: 'renew' });
    expect(accepted.status, JSON.stringify(accepted.data)).toBe(202);
    expect(await atRest(olga.api, accepted)).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED' });
    const printed = (await program(system, 'vnf', 'certificates', id, '--renew')).join('\n');
    expect(printed).toMatch(/MODIFY_INFO COMPLETED[\s\S]*10\.0\.0\.1 +apiserver\.crt/);
    expect(tasks).toEqual(['renew', 'renew']);
  });

  it('is refused to a reader, to what is no task, and to more than one', async () => {
    expect(await ask(rita)).toMatchObject({ status: 403, data: { code: 'auth.role' } });
    for (const [body, path] of [
      [{}, '/task'],
      [{ task: 'burn' }, '/task'],
      [{ task: 'renew', all: true }, '/all'],
    ] as const)
      expect(await ask(olga, id, body)).toMatchObject({ status: 400, data: { invalidParams: [{ path }] } });
  });

  it('is refused for what is no cluster, with what is missing; and while another operation runs', async () => {
    expect(await ask(olga, randomUUID())).toMatchObject({ status: 404, data: { code: 'vnf-instance.unknown' } });
    const fresh = (await createVnf(system.api, vnfdId)).split('/').at(-1)!;
    expect(await ask(olga, fresh)).toMatchObject({ status: 409, data: { code: 'vnf-instance.wrong-state' } });
    expect(await ask(olga, await instantiated(withoutDriver))).toMatchObject({
      status: 409,
      data: { code: 'certificates.no-cluster' },
    });
    await system.database.query(
      `UPDATE lcm.driver SET description = jsonb_set(description, '{hooks}', '["instantiate_end"]') WHERE name = $1`,
      [DRIVER],
    );
    const unable = await ask(olga);
    await system.database.query(
      `UPDATE lcm.driver SET description = jsonb_set(description, '{hooks}', '["instantiate_end", "modify_information_end"]') WHERE name = $1`,
      [DRIVER],
    );
    expect(unable).toMatchObject({ status: 409, data: { code: 'driver.no-hook' } });
    expect(unable.data.detail).toContain(`the management driver ${DRIVER} has no hook modify_information_end in its version`);
    let go = (): void => undefined;
    driver.before = () => new Promise((resolve) => (go = resolve));
    const first = await ask(olga);
    expect(first.status).toBe(202);
    expect(await ask(olga)).toMatchObject({ status: 409, data: { code: 'vnf-instance.busy' } });
    driver.before = () => Promise.resolve();
    go();
    await atRest(olga.api, first);
  });

  it('is passed over in the standard’s own modification, as every member that it has not', async () => {
    const before = driver.told.length;
    const accepted = await olga.api.patch<JsonObject>(`/vnflcm/v1/vnf_instances/${id}`, { windlassCertificates: 'look' });
    const op = await atRest(olga.api, accepted);
    expect(op).toMatchObject({ operation: 'MODIFY_INFO', operationState: 'COMPLETED' });
    expect(JSON.stringify(op)).not.toContain('windlassCertificates');
    expect(driver.told).toHaveLength(before);
  });
});
