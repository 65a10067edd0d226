import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seconds, TerminalError, type JsonObject } from '@windlass/foundation';
import { HOOKS, MAY_CHANGE_AT_RETRY, SOURCES, type HookContext } from '@windlass/mgmt-driver';
import { sequence, sourced, type BoundAction, type Plan } from '@windlass/saga';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

const DRIVER = 'mgmt-drivers-held';
const SERVICE = 'held-mgmt';
const vnfdId = randomUUID();
const PIN = `pin-${randomUUID()}`;

const SCALE: JsonObject = {
  type: 'object',
  properties: {
    drain_force: { type: 'boolean', [MAY_CHANGE_AT_RETRY]: true },
    pin: { type: 'string', writeOnly: true },
    replicas: { type: 'integer' },
  },
};

let system: System;
let driver: TestDriver;
let worker: TestWorker;
let vnf: VnfView;
/** What the step was given by retries, at each attempt. */
const given: unknown[] = [];

/** A node that something holds until it is forced. */
const leave: BoundAction = {
  key: 'leave@1',
  retry: { attempts: 1, backoff: 0 },
  within: undefined,
  apply: ({ input }) => {
    const { retried, force } = input as { retried: { drain_force?: boolean }; force: boolean };
    given.push(retried);
    if (retried.drain_force ?? force) return Promise.resolve(undefined);
    return Promise.reject(new TerminalError('held.not-drained', 'pods hold it: retry with drain_force'));
  },
};

function plan({ hook }: HookContext): Plan {
  const input = { force: false, retried: sourced(SOURCES.retryParams) };
  const step = { kind: 'step' as const, id: 'leave', action: 'leave', version: 1, service: SERVICE, input, traits: {} };
  return { root: hook === 'scale_start' ? sequence({ ...step, traits: { undoable: false } }) : sequence() };
}

const withHooks = (vnfd: string): string => {
  const bindings = HOOKS.map((hook) => `          ${hook}: { implementation: ${DRIVER} }\n`).join('');
  return vnfd.replace('\n    VDU1:', `\n      interfaces:\n        Vnflcm:\n${bindings}    VDU1:`);
};

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  worker = await startTestWorker(system, SERVICE, [leave]);
  driver = await startTestDriver(system, DRIVER, {
    service: SERVICE,
    hooks: [...HOOKS],
    actions: [{ name: 'leave', version: 1 }],
    operationParameters: { SCALE },
    plan,
  });
  await onboardZip(system.api, scalingPackage(vnfdId, withHooks));
  vnf = await vnfView(system, vnfdId, scalingRequest('net0'));
});
afterAll(async () => {
  await vnf.remove();
  await worker.stop();
  await driver.stop();
  await system.close();
});

it('a retry takes what the driver lets change, and nothing else; steps that are to come are given it', async () => {
  const { api } = system;
  const additionalParams = { pin: PIN, replicas: 2 };
  const accepted = await api.post(`${vnf.url}/scale`, { type: 'SCALE_OUT', aspectId: 'pair', additionalParams });
  const failed = await atRest(api, accepted);
  expect(failed).toMatchObject({ operationState: 'FAILED_TEMP', error: { status: 422, code: 'held.not-drained' } });
  const path = `/vnf_lcm_op_occs/${String(failed.id)}`;
  const v1 = `/vnflcm/v1${path}`;

  for (const [body, at] of [
    [{ drain_force: true }, '/drain_force'],
    [{ additionalParams: { replicas: 3 } }, '/additionalParams/replicas'],
    [{ additionalParams: { pin: 'x' } }, '/additionalParams/pin'],
    [{ additionalParams: { drain_force: 'yes' } }, '/additionalParams/drain_force'],
  ] as const)
    for (const version of [{ url: v1 }, { url: `/vnflcm/v2${path}`, headers: { Version: '2.0.0' } }]) {
      const answer = await api.post<JsonObject>(`${version.url}/retry`, body, { headers: version.headers ?? {} });
      expect([answer.status, answer.data.invalidParams], JSON.stringify(answer.data)).toMatchObject([400, [{ path: at }]]);
    }
  for (const task of ['rollback', 'fail']) expect((await api.post(`${v1}/${task}`, { force: true })).status).toBe(400);
  expect((await api.get<JsonObject>(v1)).data.operationState).toBe('FAILED_TEMP');
  const before = given.length;

  const again = await api.post(`${v1}/retry`, undefined, { headers: { 'Content-Type': 'application/json' } });
  expect(again.status, 'the standard’s retry has no body').toBe(202);
  const location = { status: 202, headers: { location: `http://here${v1}` } } as never;
  expect(await atRest(api, location)).toMatchObject({ operationState: 'FAILED_TEMP' });

  expect((await api.post(`${v1}/retry`, { additionalParams: { drain_force: true } })).status).toBe(202);
  const done = await atRest(api, location);
  expect(done).toMatchObject({
    operationState: 'COMPLETED',
    operationParams: { additionalParams: { drain_force: true, replicas: 2, pin: '***' } },
  });
  expect(given.slice(before)).toEqual([{}, { drain_force: true }]);
  const trail = await api.get<JsonObject[]>(`/windlass/v1/audit_trail?operationId=${String(failed.id)}`);
  const retries = trail.data.filter(({ operation, status }) => operation === 'RETRY' && status === 202);
  expect(retries.map(({ detail }) => detail)).toEqual([{ additionalParams: 'drain_force' }, null]);
  expect(JSON.stringify(trail.data)).not.toContain(PIN);
});

it('the command line retries with the parameters of a file, and says at which field a wrong one is', async () => {
  const { api } = system;
  const accepted = await api.post(`${vnf.url}/scale`, { type: 'SCALE_OUT', aspectId: 'pair', additionalParams: { replicas: 2 } });
  const { id } = await atRest(api, accepted);
  const folder = await mkdtemp(join(tmpdir(), 'windlass-retry-'));
  try {
    const [token, params] = [join(folder, 'token'), join(folder, 'params.json')];
    await writeFile(token, 'test-token\n', { mode: 0o600 });
    const retried = async (given: JsonObject): Promise<string> => {
      await writeFile(params, JSON.stringify(given));
      const url = new URL(String(api.defaults.baseURL)).origin;
      const words = ['op', 'retry', String(id), '--params', params, '--url', url, '--token-file', token];
      const main = join(import.meta.dirname, '../../apps/workbench/dist/main.js');
      const ended = promisify(execFile)(process.execPath, [main, ...words], { timeout: seconds(60) });
      return ended.then(
        ({ stdout }) => stdout,
        (error: unknown) => (error as { stderr: string }).stderr,
      );
    };
    expect(await retried({ replicas: 3 })).toContain('/additionalParams/replicas');
    expect(await retried({ additionalParams: { drain_force: true } })).toContain('COMPLETED');
    expect(given.at(-1)).toEqual({ drain_force: true });
  } finally {
    await rm(folder, { recursive: true });
  }
});
