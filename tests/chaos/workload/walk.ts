import type { JsonObject } from '@windlass/foundation';
import { OPERATIONS, type LcmOperation } from '@windlass/lifecycle';
import { ASPECT } from '../stage/chaos-package.js';
import type { ChaosParams } from '../driver/chaos.driver.js';
import type { Random } from '../random.js';

/** What the next operation may depend on: the instance as the API shows it. */
export interface InstanceView {
  instantiated: boolean;
  /** Of the package's one aspect. */
  scaleLevel: number;
  /** `vnfcResourceInfo` ids. */
  vnfcIds: readonly string[];
  /** As an operation has left it. */
  vnfState: 'STARTED' | 'STOPPED';
}

/** What a customer asks for next. */
export interface RequestedOperation {
  operation: LcmOperation;
  method: 'POST' | 'PATCH';
  /** Below the instance's own path. */
  path: string;
  body: JsonObject;
}

/** What comes with a requested operation to make it harder. */
export interface Trouble {
  /** In the VIM, for this instance's stack. */
  vim?: 'failing-create' | 'failing-delete' | 'lost-answer' | 'refusal' | 'expired-tokens';
  /** The steps of this hook fail so often. */
  failing?: { hook: string; times: number };
  /** The customer changes their mind, so long after the acceptance. */
  cancel?: { mode: 'GRACEFUL' | 'FORCEFUL'; afterMs: number };
}

/** What a customer answers to FAILED_TEMP. */
export type Answer = 'retry' | 'rollback' | 'fail';

/** A network of the emulator on which no machine has a card. */
const OTHER_NETWORK = 'net1';

/** So often a customer retries or rolls back before giving it up. */
const PATIENCE = 4;

/**
 * The next operation of an instance, legal in its state, of those that this build has. The same random numbers are drawn whatever the state
 * is, so that a replayed seed makes the same choices wherever it finds the same state.
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
  // What is stopped is neither scaled nor healed, and mostly started again.
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

/** What goes wrong with it, if anything does. */
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

/** Out or in where both are possible, by one step or two where there is room. */
function scale(random: Random, { scaleLevel }: InstanceView): RequestedOperation {
  const out = random.below('direction').chance(0.5);
  const type = scaleLevel <= 0 ? 'SCALE_OUT' : scaleLevel >= ASPECT.most ? 'SCALE_IN' : out ? 'SCALE_OUT' : 'SCALE_IN';
  const room = type === 'SCALE_OUT' ? ASPECT.most - scaleLevel : scaleLevel;
  return post('SCALE', { type, aspectId: ASPECT.id, numberOfSteps: Math.min(room, random.below('steps').whole(1, 2)) });
}

/** To any level, that where it stands among them: by the aspect, or by a level of the package. */
const scaleToLevel = (random: Random): RequestedOperation => {
  const byAspect = random.below('by').chance(0.7);
  const scaleLevel = random.below('to').whole(0, ASPECT.most);
  const instantiationLevelId = random.below('level').pick(['one', 'three']);
  return post('SCALE_TO_LEVEL', byAspect ? { scaleInfo: [{ aspectId: ASPECT.id, scaleLevel }] } : { instantiationLevelId });
};

/** One VNFC, or the whole of it. */
function heal(random: Random, { vnfcIds }: InstanceView): RequestedOperation {
  const one = vnfcIds[random.below('which').whole(0, Math.max(0, vnfcIds.length - 1))];
  const whole = one === undefined || random.below('whole').chance(0.3);
  return post('HEAL', { cause: 'chaos', ...(whole ? {} : { vnfcInstanceId: [one] }) });
}

/** The network that VNFs are on first, or the lab's other one: both have room. */
const reconnect = (random: Random, networkId: string): RequestedOperation => {
  const other = random.below('network').chance(0.6);
  const cp = { cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] };
  return post('CHANGE_EXT_CONN', {
    extVirtualLinks: [{ id: other ? 'other' : 'net', resourceId: other ? OTHER_NETWORK : networkId, extCps: [cp] }],
  });
};

/** Starts what is stopped; stops all, or one VNFC, of what runs, at once or gracefully. */
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

/** The body with what the chaos driver is told; MODIFY_INFO has no parameters of that kind. */
export function withParams({ operation, body }: RequestedOperation, params: ChaosParams): JsonObject {
  if (operation === 'MODIFY_INFO') return body;
  return { ...body, additionalParams: { chaos: params as JsonObject } };
}
