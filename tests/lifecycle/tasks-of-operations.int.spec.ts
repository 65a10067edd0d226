import type { JsonObject } from '@windlass/foundation';
import { OPERATIONS, type LcmOperation } from '@windlass/lifecycle';
import { OP_OCC_TASKS, OPERATION_RULES, type OperationRules, type OpOccTask } from '@windlass/sol003';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TASKS, type State } from '../model/support/state-table.js';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
/** An occurrence whose operation and state are set from outside: what it may be asked is a matter of these two. */
let opOcc: string;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  const { vnfdId } = await onboard(system.api, 'simple-vm');
  const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
  const vnf = await createVnf(system.api, vnfdId);
  opOcc = String((await atRest(system.api, await system.api.post(`${vnf}/instantiate`, request))).id);
});

afterAll(() => system.close());

const STATES = Object.keys(TASKS) as State[];
const url = (task = ''): string => `/vnflcm/v1/vnf_lcm_op_occs/${opOcc}${task}`;

async function stands(operation: LcmOperation, state: State): Promise<void> {
  await system.database.query('UPDATE lcm.vnf_lcm_op_occ SET operation = $2, operation_state = $3 WHERE id = $1', [
    opOcc,
    operation,
    state,
  ]);
}

async function linked(): Promise<string[]> {
  const { data } = await system.api.get<{ _links: object }>(url());
  return Object.keys(data._links).filter((name) => (OP_OCC_TASKS as readonly string[]).includes(name));
}

const ask = (task: OpOccTask) =>
  system.api.post<JsonObject>(url(`/${task}`), task === 'cancel' ? { cancelMode: 'GRACEFUL' } : {});

/** As if the operation were one without the task. */
async function without(operation: LcmOperation, task: OpOccTask, work: () => Promise<void>): Promise<void> {
  const rules = OPERATION_RULES as Record<string, OperationRules>;
  const kept = OPERATION_RULES[operation];
  rules[operation] = { ...kept, tasks: kept.tasks.filter((each) => each !== task) };
  try {
    await work();
  } finally {
    rules[operation] = kept;
  }
}

describe.each(OPERATIONS.all.map(({ operation }) => operation))('%s', (operation) => {
  it.each(STATES)('in %s shows the links of the tasks that it has there, and refuses the others with 409', async (state) => {
    await stands(operation, state);
    const expected = TASKS[state].filter((task) => OPERATION_RULES[operation].tasks.includes(task));
    expect((await linked()).sort()).toEqual([...expected].sort());
    for (const task of OPERATION_RULES[operation].tasks.filter((each) => !expected.includes(each))) {
      const { status, data } = await ask(task);
      expect([task, status, data.code]).toEqual([task, 409, 'op-occ.wrong-state']);
    }
  });

  it.each(OP_OCC_TASKS)('answers 404 to %s in every state, without a link, where it has no such task', async (task) => {
    await without(operation, task, async () => {
      for (const state of STATES) {
        await stands(operation, state);
        expect(await linked()).not.toContain(task);
        const { status, data } = await ask(task);
        expect([state, status, data.code]).toEqual([state, 404, 'op-occ.no-such-task']);
      }
    });
  });
});
