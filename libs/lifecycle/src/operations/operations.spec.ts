import { HOOKS } from '@windlass/mgmt-driver';
import { compilePlan } from '@windlass/saga';
import { OFFERED_OPERATIONS, OPERATION_RULES } from '@windlass/sol003';
import type { VnfPackageModel } from '@windlass/vnf-package';
import { describe, expect, it } from 'vitest';
import { taskConditionsOf, type InstantiatedState } from '../records/records.js';
import { askDriverAction, type SagaContext } from '../operation/operation-saga.js';
import { COORDINATOR_SERVICE } from '../records/services.js';
import { instanceRecord, opOccRecord, packageRecord } from '../testing/records.js';
import type { OperationDefinition } from '../operation/operation-definition.js';
import { OPERATIONS } from './operations.js';

const VNF = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';

/** A VNF whose every hook is bound, in the state that the operation starts in. */
function contextOf({ operation }: OperationDefinition): SagaContext {
  const pkg = packageRecord('11111111-1111-4111-8111-111111111111');
  const lcmBindings = Object.fromEntries(HOOKS.map((hook) => [hook, { implementation: 'a-driver' }]));
  const model = {
    flavours: [{ id: 'simple', vdus: [], storages: [], scalingAspects: [], lcmBindings }],
  } as unknown as VnfPackageModel;
  const instantiated = {
    info: { flavourId: 'simple', vnfState: 'STARTED' as const },
    stack: { name: 'vnf', id: 's' },
    vnfcs: [],
    sharedCps: [],
    vim: { vimId: 'v', connectionId: 'v' },
    images: [],
  };
  const is = OPERATION_RULES[operation].startsIn.includes('INSTANTIATED')
    ? { instantiationState: 'INSTANTIATED' as const, instantiated, desired: { flavourId: 'simple' } }
    : { leftovers: { stack: { name: 'vnf' }, vim: { connectionId: 'v' }, images: [] } };
  return {
    opOcc: opOccRecord({ id: 'op', vnfInstanceId: VNF, operation }),
    instance: instanceRecord({ id: VNF, vnfPkgId: pkg.id, ...is }),
    package: { ...pkg, model },
    flavourId: 'simple',
  };
}

it('an operation that is called offered has its row here, and no other has', () => {
  expect(OPERATIONS.all.map(({ operation }) => operation).sort()).toEqual([...OFFERED_OPERATIONS].sort());
});

const stepsOf = (definition: OperationDefinition) => compilePlan(definition.plan(contextOf(definition))).steps;

describe.each(OPERATIONS.all.map((definition) => [definition.operation, definition] as const))('%s', (_name, definition) => {
  it('has every inline step that its plan has', () => {
    const inline = stepsOf(definition).filter(({ traits }) => traits.inline === true);
    expect(inline.length).toBeGreaterThan(0);
    for (const { action, service } of inline) {
      expect(definition.inline).toHaveProperty([action]);
      expect(service).toBe(COORDINATOR_SERVICE);
    }
  });

  it('asks drivers for the hooks that they are asked about before the 202', () => {
    const asked = stepsOf(definition).filter(({ action }) => action === askDriverAction.name);
    expect(asked.map(({ id }) => id)).toEqual([`${definition.hooks}_start`, `${definition.hooks}_end`]);
  });

  it('works on a VIM exactly where it says so', () => {
    const onVim = stepsOf(definition).some(({ input }) => JSON.stringify(input).includes('"$from":"vim"'));
    expect(definition.usesVim).toBe(onVim);
  });

  it('is found by its name, and at its route alone', () => {
    const { route, operation } = definition;
    expect(OPERATIONS.of(operation)).toBe(definition);
    expect(OPERATIONS.at(route.method, route.method === 'POST' ? route.task : '')).toBe(definition);
    expect(OPERATIONS.at('PUT', route.method === 'POST' ? route.task : '')).toBeUndefined();
  });
});

describe('the links of an instance', () => {
  it.each([
    ['NOT_INSTANTIATED', ['instantiate'], []],
    ['INSTANTIATED', ['terminate', 'scale', 'heal', 'operate', 'change_ext_conn'], []],
    [
      'INSTANTIATED',
      ['terminate', 'scale', 'scale_to_level', 'heal', 'operate', 'change_ext_conn'],
      [{ aspectId: 'workers', scaleLevel: 0 }],
    ],
  ] as const)('are in %s those of the operations that start there: %s, where %j scales', (state, names, scaleStatus) => {
    const instantiated = { info: { scaleStatus } } as unknown as InstantiatedState;
    const instance = instanceRecord({ id: VNF, vnfPkgId: 'pkg', instantiationState: state, instantiated });
    expect(OPERATIONS.tasksOf(taskConditionsOf(instance)).map(({ task }) => task)).toEqual(names);
  });
});
