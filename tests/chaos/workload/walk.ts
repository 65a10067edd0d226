import type { JsonObject } from '@windlass/foundation';
import { OPERATIONS, type LcmOperation } from '@windlass/lifecycle';
import { ASPECT } from '../stage/chaos-package.js';
import type { ChaosParams } from '../driver/chaos.driver.js';
import type { Random } from '../random.js';

/** The instance as the API shows it, as far as the next operation depends on it. */
export interface InstanceView {
  instantiated: boolean;
  /** The level of the package's one aspect. */
  scaleLevel: number;
  /** `vnfcResourceInfo` ids. */
  vnfcIds: readonly string[];
  /** The state that the last operation left. */
  vnfState: 'STARTED' | 'STOPPED';
}

/** The next request of a customer. */
export interface RequestedOperation {
  operation: LcmOperation;
  method: 'POST' | 'PATCH';
  /** The path below the instance's own. */
  path: string;
  body: JsonObject;
}

/** The faults that make a requested operation harder. */
export interface Trouble {
  /** A fault of the VIM on the instance's stack. */
  vim?: 'failing-create' | 'failing-delete' | 'lost-answer' | 'refusal' | 'expired-tokens';
  /** The hook whose steps fail so often. */
  failing?: { hook: string; times: number };
  /** The customer cancels, so long after the acceptance. */
  cancel?: { mode: 'GRACEFUL' | 'FORCEFUL'; afterMs: number };
}

/** A customer's answer to FAILED_TEMP. */
export type Answer = 'retry' | 'rollback' | 'fail';

/** A network of the emulator without machines. */
const OTHER_NETWORK = 'net1';

/** So often a customer retries or rolls back before failing the operation. */
const PATIENCE = 4;

/**
 * The next operation of an instance: one that this build has, and that is legal in the instance's state. The same random numbers are drawn whatever the state
 * is, so a replayed seed makes the same choices wherever it finds the same state.
 */
export function nextRequestedOperation(
  random: Random,
  view: InstanceView,
  available: ReadonlySet<LcmOperation>,
  networkId: string,
): RequestedOperation {
  const kind = random.below('kind');
  if (!view.instantiated) {
    const operation = kind.weighted(choices(available, { INSTANTIATE: 9, MODIFY_INFO: 1 }));
    return operation === 'MODIFY_INFO' ? modify(random) : instantiate(random, networkId);
  }
  const stopped = view.vnfState === 'STOPPED';
  // A stopped instance is neither scaled nor healed, and mostly started again.
  const weights = stopped
    ? { OPERATE: 50, CHANGE_EXT_CONN: 10, MODIFY_INFO: 5, TERMINATE: 35 }
    : { SCALE: 30, SCALE_TO_LEVEL: 15, HEAL: 20, OPERATE: 15, CHANGE_EXT_CONN: 15, MODIFY_INFO: 5, TERMINATE: 35 };
  const operation = kind.weighted(choices(available, weights));
  if (operation === 'SCALE') return scale(random, view);
  if (operation === 'SCALE_TO_LEVEL') return scaleToLevel(random);
  if (operation === 'HEAL') return heal(random, view);
  if (operation === 'OPERATE') return operate(random, view);
  if (operation === 'CHANGE_EXT_CONN') return reconnect(random, networkId);
  return operation === 'MODIFY_INFO' ? modify(random) : terminate(random);
}

/** The faults of a requested operation, if any. */
export function nextTrouble(random: Random, { operation }: RequestedOperation): Trouble {
  const { hooks } = OPERATIONS.of(operation);
  const vim = random.below('vim');
  const failing = random.below('failing');
  const cancel = random.below('cancel');
  const deletes = ['TERMINATE', 'SCALE', 'SCALE_TO_LEVEL', 'HEAL', 'CHANGE_EXT_CONN'].includes(operation);
  return {
    ...(vim.chance(0.2) && {
      vim: vim.weighted([
        [operation === 'TERMINATE' ? 0 : 3, 'failing-create'],
        [deletes ? 3 : 0, 'failing-delete'],
        [2, 'lost-answer'],
        [2, 'refusal'],
        [1, 'expired-tokens'],
      ]),
    }),
    ...(failing.chance(0.12) && {
      failing: { hook: `${hooks}_${failing.pick(['start', 'end'])}`, times: failing.whole(1, 2) },
    }),
    ...(cancel.chance(0.08) && {
      cancel: { mode: cancel.pick(['GRACEFUL', 'FORCEFUL']), afterMs: cancel.whole(0, 3_000) },
    }),
  };
}

/** The answer to the n-th time (from 0) that an operation stands at FAILED_TEMP. */
export function nextAnswer(random: Random, n: number, operation: LcmOperation): Answer {
  if (n >= PATIENCE) return 'fail';
  return random.below(`answer ${n}`).weighted<Answer>([
    [5, 'retry'],
    [operation === 'TERMINATE' ? 1 : 4, 'rollback'],
    [1, 'fail'],
  ]);
}

const choices = (
  available: ReadonlySet<LcmOperation>,
  weights: Partial<Record<LcmOperation, number>>,
): [number, LcmOperation][] =>
  (Object.entries(weights) as [LcmOperation, number][])
    .filter(([operation]) => available.has(operation))
    .map(([operation, weight]) => [weight, operation]);

const post = (operation: LcmOperation, body: JsonObject): RequestedOperation => ({
  operation,
  method: 'POST',
  path: `/${operation.toLowerCase()}`,
  body,
});

const instantiate = (random: Random, networkId: string): RequestedOperation =>
  post('INSTANTIATE', {
    flavourId: 'default',
    instantiationLevelId: random.below('level').weighted([
      [3, 'one'],
      [1, 'three'],
    ]),
    extVirtualLinks: [
      {
        id: 'net',
        resourceId: networkId,
        extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
      },
    ],
  });

const terminate = (random: Random): RequestedOperation =>
  post(
    'TERMINATE',
    random.below('type').chance(0.25)
      ? { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 1 }
      : { terminationType: 'FORCEFUL' },
  );

/** A scaling out or in, by one step, or by two where there is room. */
function scale(random: Random, { scaleLevel }: InstanceView): RequestedOperation {
  const out = random.below('direction').chance(0.5);
  const type = scaleLevel <= 0 ? 'SCALE_OUT' : scaleLevel >= ASPECT.most ? 'SCALE_IN' : out ? 'SCALE_OUT' : 'SCALE_IN';
  const room = type === 'SCALE_OUT' ? ASPECT.most - scaleLevel : scaleLevel;
  return post('SCALE', { type, aspectId: ASPECT.id, numberOfSteps: Math.min(room, random.below('steps').whole(1, 2)) });
}

/** A scaling to any level, the present level included: by the aspect, or by a level of the package. */
const scaleToLevel = (random: Random): RequestedOperation => {
  const byAspect = random.below('by').chance(0.7);
  const scaleLevel = random.below('to').whole(0, ASPECT.most);
  const instantiationLevelId = random.below('level').pick(['one', 'three']);
  return post('SCALE_TO_LEVEL', byAspect ? { scaleInfo: [{ aspectId: ASPECT.id, scaleLevel }] } : { instantiationLevelId });
};

/** A heal of one VNFC, or of the whole instance. */
function heal(random: Random, { vnfcIds }: InstanceView): RequestedOperation {
  const one = vnfcIds[random.below('which').whole(0, Math.max(0, vnfcIds.length - 1))];
  const whole = one === undefined || random.below('whole').chance(0.3);
  return post('HEAL', { cause: 'chaos', ...(whole ? {} : { vnfcInstanceId: [one] }) });
}

/** A change to the network of the instantiation, or to the lab's other network: both have room. */
const reconnect = (random: Random, networkId: string): RequestedOperation => {
  const other = random.below('network').chance(0.6);
  const cp = { cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] };
  return post('CHANGE_EXT_CONN', {
    extVirtualLinks: [{ id: other ? 'other' : 'net', resourceId: other ? OTHER_NETWORK : networkId, extCps: [cp] }],
  });
};

/** Starts a stopped instance. Stops a running instance or one VNFC of it, at once or gracefully. */
function operate(random: Random, { vnfState, vnfcIds }: InstanceView): RequestedOperation {
  const graceful = random.below('stop').chance(0.3);
  const one = vnfcIds[random.below('which').whole(0, Math.max(0, vnfcIds.length - 1))];
  const whole = one === undefined || random.below('whole').chance(0.6);
  if (vnfState === 'STOPPED') return post('OPERATE', { changeStateTo: 'STARTED' });
  const how = graceful ? { stopType: 'GRACEFUL', gracefulStopTimeout: 1 } : { stopType: 'FORCEFUL' };
  return post('OPERATE', { changeStateTo: 'STOPPED', ...how, ...(whole ? {} : { vnfcInstanceId: [one] }) });
}

const modify = (random: Random): RequestedOperation => ({
  operation: 'MODIFY_INFO',
  method: 'PATCH',
  path: '',
  body: { vnfInstanceDescription: `described ${random.below('text').whole(1, 1_000_000)}` },
});

/** The body with the chaos driver's parameters. MODIFY_INFO takes no additional parameters. */
export function withParams({ operation, body }: RequestedOperation, params: ChaosParams): JsonObject {
  if (operation === 'MODIFY_INFO') return body;
  return { ...body, additionalParams: { chaos: params as JsonObject } };
}
