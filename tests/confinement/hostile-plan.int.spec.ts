import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { millis, seconds, waitUntil, type Json, type JsonObject } from '@windlass/foundation';
import { clusterConnectionId, clusterVimId, type HookContext } from '@windlass/mgmt-driver';
import {
  common,
  expandInto,
  outputOf,
  sequence,
  sourced,
  type BoundAction,
  type InputSchema,
  type Plan,
  type PlanNode,
  type StepNode,
} from '@windlass/saga';
import type { AxiosResponse } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';

/** The captured driver and its service, and another one beside it in the same VNF. */
const HOSTILE = 'mgmt-drivers-hostile';
const SERVICE = 'hostile-mgmt';
const NEIGHBOUR = 'mgmt-drivers-neighbour';
const NEIGHBOUR_SERVICE = 'neighbour-mgmt';
const SHARES = 'mgmt-drivers-shares';
const SHARES_SERVICE = 'shares-mgmt';
const NEIGHBOURS_SECRET = 'hunter2-of-the-neighbour';
const PARAMETER = 'hunter2-of-the-parameters';

const vnfdId = randomUUID();
let system: System;
const stops: (() => Promise<void>)[] = [];
let hostile: TestDriver;
let plan: (context: HookContext) => unknown;
/** What the steps of the hostile service were given. */
const seen: Json[] = [];
/** What the collector of the hostile driver was told over HTTP. */
const collected: string[] = [];
let collector: Server;
let evil: string;
/** The occurrence that stands at `instantiate_end`, and its instance. */
let url: string;
let opOcc: string;
let accepted: AxiosResponse<unknown> | undefined;
let inventory: string;

const bindings = `      interfaces:
        Vnflcm:
          instantiate_start: { implementation: ${NEIGHBOUR} }
          instantiate_end: { implementation: ${HOSTILE} }
          scale_start: { implementation: ${HOSTILE} }
          scale_end: { implementation: ${HOSTILE} }
`;

const step = (over: Partial<StepNode> = {}): StepNode => ({
  kind: 'step',
  id: 'look',
  action: 'look',
  version: 1,
  service: SERVICE,
  input: {},
  ...over,
});

/** An action that the shares' service offers to the plans of every driver. */
const SHARE: InputSchema = {
  type: 'object',
  required: ['size'],
  additionalProperties: false,
  properties: { size: { type: 'integer', minimum: 1, maximum: 100 }, owner: { type: 'string' } },
};
const shareStep = (input: JsonObject): StepNode => step({ id: 'share', action: 'share', service: SHARES_SERVICE, input });

const once = { retry: { attempts: 1, backoff: 0 }, within: undefined };
const look: BoundAction = {
  key: 'look@1',
  ...once,
  apply: ({ input }) => {
    seen.push(input);
    return Promise.resolve(input.contributes === true ? contribution : { saved: 'by look', size: 7 });
  },
};
/** What a step of the hostile driver gives to the instance. */
let contribution: Json = {};
/** What was asked of the shares' service. */
const shared: Json[] = [];
const share: BoundAction = {
  key: 'share@1',
  ...once,
  accepts: SHARE,
  apply: ({ input }) => {
    shared.push(input);
    return Promise.resolve({ path: '/share' });
  },
};
const format: BoundAction = { key: 'format@1', ...once, apply: () => Promise.resolve(void shared.push('formatted')) };
/** A worker that was captured: its step becomes whatever plan it likes. */
const unfold: BoundAction = { key: 'unfold@1', ...once, apply: () => Promise.resolve(expandInto(unfolded as Plan)) };
let unfolded: unknown;
const leave: BoundAction = { key: 'leave@1', ...once, apply: () => Promise.resolve({ password: NEIGHBOURS_SECRET }) };

beforeAll(async () => {
  collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => void collected.push(chunk.toString()));
    request.on('end', () => response.writeHead(401).end('{}'));
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  evil = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v3`;
  system = await startSystem();
  await registerVim(system);
  const workers: TestWorker[] = [
    await startTestWorker(system, SERVICE, [look, unfold]),
    await startTestWorker(system, NEIGHBOUR_SERVICE, [leave]),
    await startTestWorker(system, SHARES_SERVICE, [share, format]),
  ];
  const actions = ['look', 'unfold'].map((name) => ({ name, version: 1 }));
  hostile = await startTestDriver(system, HOSTILE, {
    service: SERVICE,
    hooks: ['instantiate_end', 'scale_start', 'scale_end'],
    actions,
    plan: (context) => plan(context) as Plan,
  });
  const neighbour = await startTestDriver(system, NEIGHBOUR, {
    service: NEIGHBOUR_SERVICE,
    hooks: ['instantiate_start'],
    actions: [{ name: 'leave', version: 1 }],
    plan: () => ({ root: step({ id: 'leave', action: 'leave', service: NEIGHBOUR_SERVICE }) }),
  });
  const shares = await startTestDriver(system, SHARES, {
    service: SHARES_SERVICE,
    hooks: [],
    actions: ['share', 'format'].map((name) => ({ name, version: 1 })),
    offers: [{ name: 'share', version: 1, input: SHARE }],
  });
  stops.push(...[...workers, hostile, neighbour, shares].map((each) => () => each.stop()));
  await onboardZip(
    system.api,
    scalingPackage(vnfdId, (vnfd) => vnfd.replace('\n    VDU1:', `\n${bindings}    VDU1:`)),
  );
  url = await createVnf(system.api, vnfdId);
});

afterAll(async () => {
  for (const stop of stops) await stop();
  collector.close();
  await system.close();
});

/** The first hostile plan meets the instantiation; each other one its retry, by which the driver is asked again. */
async function answered(root: unknown, more: object = {}): Promise<JsonObject> {
  plan = () => ({ root, ...more });
  const { api } = system;
  if (accepted !== undefined) {
    expect((await api.post(`/vnflcm/v1/vnf_lcm_op_occs/${opOcc}/retry`)).status).toBe(202);
    return atRest(api, accepted);
  }
  const request = { ...scalingRequest('net0'), additionalParams: { password: PARAMETER } };
  const asked = await api.post<unknown>(`${url}/instantiate`, request);
  accepted = asked;
  const op = await atRest(api, asked);
  opOcc = String(op.id);
  inventory = JSON.stringify(system.emulator.inventory());
  return op;
}

const refused = (words: string) => ({
  operationState: 'FAILED_TEMP',
  error: { detail: expect.stringContaining(words) as string },
});

/** No secret reached anybody who may not have it, and nothing was done at the VIM. */
function expectNoHarm(): void {
  const { password } = system.emulator.tenant;
  expect(JSON.stringify(seen)).not.toContain(password);
  expect(JSON.stringify(seen)).not.toContain(NEIGHBOURS_SECRET);
  expect(collected.join('')).toBe('');
  expect(JSON.stringify(system.emulator.inventory())).toBe(inventory);
}

const infra = (action: string, input: JsonObject = {}): StepNode =>
  step({ id: action, action, service: 'infra-driver', input: { vim: sourced('vim'), ...input } });
const deep = (levels: number): unknown => (levels === 0 ? 'deep' : [deep(levels - 1)]);
const nested = (levels: number): PlanNode => (levels === 0 ? step() : sequence(nested(levels - 1)));

/** Comes after the step that unfolds: once a plan is grafted its driver is not asked again, and the same steps are retried. */
const contributing = step({ id: 'contribute', input: { contributes: true }, traits: { contributes: true } });

describe('a driver whose plan asks for what is not its own gets nothing, and the operation stands with the reason', () => {
  const plans: [what: string, root: () => unknown, words: string, more?: object][] = [
    ['the VIM’s password', () => step({ input: { stolen: sourced('vim') } }), 'the source "vim"'],
    ['the VIM’s password, deep in an array', () => step({ input: { a: [{ b: [sourced('vim', '/password')] }] } }), '"vim"'],
    [
      'a step of infra-driver that shows the password to its own authUrl',
      () => infra('read-stack', { vim: { ...sourced('vim'), authUrl: evil } }),
      'infra-driver',
    ],
    ['a step of infra-driver that deletes the stack', () => infra('delete-stack', { stack: sourced('stack') }), 'infra-driver'],
    [
      'an inline step in the coordinator’s transaction',
      () => step({ action: 'publish-instance', service: 'saga-coordinator', traits: { inline: true } }),
      'inline',
    ],
    ['a step of the coordinator’s own', () => step({ action: 'ask-driver', service: 'saga-coordinator' }), 'saga-coordinator'],
    ['an offered action with input that it does not take', () => shareStep({ size: 'much' }), '/size'],
    [
      'an action of the offering service that is not offered',
      () => ({ ...shareStep({ size: 1 }), action: 'format' }),
      'format@1',
    ],
    ['an inline step under its own name', () => step({ traits: { inline: true } }), 'inline'],
    ['a milestone', () => step({ traits: { milestone: 'PROCESSING' } }), 'milestone'],
    ['a pivot, after which nobody can roll back', () => step({ traits: { pivot: true } }), 'pivot'],
    [
      'what another driver’s step gave',
      () => step({ input: { stolen: outputOf('/instantiate_start/leave') } }),
      'instantiate_start/leave',
    ],
    ['what a step of ours gave', () => step({ input: { stolen: outputOf('/prepare-stack') } }), 'prepare-stack'],
    ['the request with its vimConnectionInfo', () => step({ input: { stolen: sourced('request') } }), 'the source "request"'],
    ['a limit of the VIM, held against all others', () => step({ limits: ['vim:everybody'] }), 'vim:everybody'],
    ['a secret through its common part', () => step(), 'common', { common: { stolen: sourced('vim') } }],
    ['an action that it never announced', () => step({ action: 'hidden' }), 'hidden@1'],
    ['two members beside $from', () => step({ input: { x: { $from: 'request-params', and: 1 } } }), '$from'],
    ['garbage for a plan', () => ({ kind: 'parallel', of: null }), 'of'],
    ['numbers for ids', () => ({ ...step(), id: 5 }), 'id'],
    ['more levels than anybody needs', () => nested(200), 'deep'],
    ['an input of more levels than anybody needs', () => step({ input: { x: deep(200) as Json } }), 'deep'],
    ['text that no database keeps', () => step({ target: 'a\u0000b' }), 'target'],
    ['another driver’s name', () => step(), NEIGHBOUR, { madeBy: { driver: NEIGHBOUR, version: '1' } }],
  ];
  it.each(plans)('%s', async (_what, root, words, more = {}) => {
    const op = await answered(root(), more);
    expectNoHarm();
    expect(op, JSON.stringify(op)).toMatchObject(refused(words));
    expect((op.error as JsonObject).detail).toContain(HOSTILE);
  });

  it('nor through a step of its own that becomes a plan', async () => {
    for (const root of [step({ input: { stolen: sourced('vim') } }), infra('delete-stack', { stack: sourced('stack') }), null]) {
      unfolded = { root };
      const op = await answered(sequence(step({ id: 'unfold', action: 'unfold' }), contributing));
      expect(op, JSON.stringify(op)).toMatchObject({
        operationState: 'FAILED_TEMP',
        error: { detail: expect.stringContaining(HOSTILE) as string },
      });
      expectNoHarm();
    }
  });
});

describe('a step that contributes to its instance', () => {
  it('fails when it would lead the instance to another VIM, and the instance is as it was', async () => {
    const before = (await system.api.get<JsonObject>(url)).data.vimConnectionInfo;
    const instance = url.split('/').at(-1) ?? '';
    const entry = { id: clusterConnectionId(instance), vimType: 'kubernetes' };
    const [lab] = (await system.api.get<{ vims: { id: string }[] }>('/v1.0/vims')).data.vims;
    const contributions: [of: JsonObject, words: string][] = [
      [{ add: [{ id: 'vim1', vimType: 'openstack', accessInfo: { authUrl: evil } }] }, 'the entry'],
      [{ add: [{ ...entry, vimType: 'openstack' }] }, 'the type'],
      [{ add: [{ ...entry, vimId: lab?.id ?? '' }] }, 'the VIM'],
      [{ add: [{ ...entry, accessInfo: { authUrl: 5 } }] }, 'authUrl'],
      [{ removeVimIds: [lab?.id ?? ''] }, 'removes the VIM'],
      [{ add: 'all' }, 'array was expected'],
      [{ everything: true }, 'everything'],
    ];
    unfolded = { root: step({ id: 'inner', input: { owner: sourced('instantiate-params', '/password') } }) };
    for (const [of, words] of contributions) {
      contribution = { instance: { vimConnectionInfo: of } };
      const op = await answered(null);
      expect(op, JSON.stringify(op.error)).toMatchObject(refused(words));
      expect((op.error as JsonObject).detail).toContain(HOSTILE);
      expect((await system.api.get<JsonObject>(url)).data.vimConnectionInfo).toEqual(before);
    }
    contribution = { instance: { vimConnectionInfo: { add: [{ ...entry, vimId: clusterVimId(instance) }] } } };
    const op = await answered(null);
    expect(op, JSON.stringify(op.error)).toMatchObject({ operationState: 'COMPLETED' });
    const after = (await system.api.get<{ vimConnectionInfo: JsonObject[] }>(url)).data.vimConnectionInfo;
    expect(after).toContainEqual(expect.objectContaining({ ...entry, vimId: clusterVimId(instance) }));
  });
});

describe('a plan within its bounds', () => {
  const scaled = async (plans: Record<string, Plan>): Promise<JsonObject> => {
    plan = ({ hook }) => plans[hook] ?? { root: sequence() };
    const requested = { type: 'SCALE_OUT', aspectId: 'worker', additionalParams: { owner: PARAMETER } };
    const asked = await system.api.post(`${url}/scale`, requested);
    return atRest(system.api, asked);
  };

  it('has an offered action refuse what turns out not to fit, before anything is done', async () => {
    const op = await scaled({ scale_start: { root: shareStep({ size: sourced('request-params', '/owner') }) } });
    expect(op, JSON.stringify(op.error)).toMatchObject({ operationState: 'FAILED_TEMP', error: { code: 'step.input-refused' } });
    expect((op.error as JsonObject).detail).toContain('/size is a string, integer was expected');
    expect(shared).toEqual([]);
    expect((await system.api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/rollback`)).status).toBe(202);
    await rolledBack(String(op.id));
    expectNoHarm();
  });

  it('is carried out: parameters, VNFCs, what is common, what it saved at an earlier hook, and an offered action', async () => {
    seen.length = 0;
    const op = await scaled({
      scale_start: { common: { colour: 'green' }, root: step({ input: { colour: common('/colour') } }) },
      scale_end: {
        root: sequence(
          shareStep({ size: outputOf('/scale_start/look', '/size'), owner: sourced('request-params', '/owner') }),
          step({ limits: [`${SERVICE}:one`], input: { path: outputOf('share', '/path') } }),
        ),
      },
    });
    expect(op, JSON.stringify(op.error)).toMatchObject({ operationState: 'COMPLETED' });
    expect(shared).toEqual([{ size: 7, owner: PARAMETER }]);
    expect(seen).toEqual([{ colour: 'green' }, { path: '/share' }]);
  });
});

const rolledBack = (id: string): Promise<true> =>
  waitUntil(
    async (last) => {
      const { data } = await system.api.get<JsonObject>(`/vnflcm/v1/vnf_lcm_op_occs/${id}`);
      last(String(data.operationState));
      return data.operationState === 'ROLLED_BACK' || undefined;
    },
    { for: 'the operation to be rolled back', within: seconds(30), every: millis(50) },
  );
