import { createHash } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import {
  SOURCES,
  type DriverDescription,
  type HookContext,
  type HookedOperation,
  type ManagementDriver,
  type ValidateReply,
} from '@windlass/mgmt-driver';
import { common, parallel, sourced, type Plan, type StepNode } from '@windlass/saga';

/** The implementation's name in the VNFD of tests/chaos/package. */
export const CHAOS_DRIVER = 'mgmt-drivers-chaos';
/** The service whose replicas run its steps. */
export const CHAOS_SERVICE = 'chaos-mgmt';
export const KEEP_LEDGER = { name: 'keep-ledger', version: 1 } as const;

const HOOKED: readonly HookedOperation[] = ['instantiate', 'scale', 'heal', 'terminate'];

/** What a request of the workload tells this driver, as `additionalParams.chaos`. */
export interface ChaosParams {
  /** The steps of this hook fail so often before they succeed. */
  failing?: { hook: string; times: number };
  /** Of no use, and never to be seen: the job on the host prints it. */
  password?: string;
}

/** At most so many VNFCs get a step of their own: the more there are, the less happens in a run. */
const MOST_MEMBERS = 2;

/** Notes in a ledger that it was called: a step on the instance before the work, one on each of its first VNFCs after it. */
export class ChaosDriver implements ManagementDriver {
  describe(): DriverDescription {
    return {
      contract: 2,
      driver: CHAOS_DRIVER,
      version: '1.0.0',
      service: CHAOS_SERVICE,
      hooks: HOOKED.flatMap((operation) => [`${operation}_start`, `${operation}_end`] as const),
      actions: [KEEP_LEDGER],
      parameters: {
        type: 'object',
        properties: {
          chaos: {
            type: 'object',
            properties: {
              failing: {
                type: 'object',
                required: ['hook', 'times'],
                properties: { hook: { type: 'string' }, times: { type: 'integer', minimum: 0 } },
              },
              password: { type: 'string', writeOnly: true },
            },
          },
        },
      },
    };
  }

  validate(): ValidateReply {
    return { invalidParams: [], warnings: [], normalised: {} };
  }

  plan(hook: HookContext): Plan {
    const { failing } = (hook.requestParams.chaos ?? {}) as ChaosParams;
    const failures = failing?.hook === hook.hook ? failing.times : 0;
    return {
      madeBy: { driver: CHAOS_DRIVER, version: '1.0.0' },
      common: { vnfInstanceId: hook.vnfInstanceId, failures },
      root: parallel(placesOf(hook).map((place) => ledgerStep(hook, place))),
    };
  }
}

/** Before the VNFCs are there, and after they have gone, the instance itself stands for them. */
function placesOf({ hook, vnfcs, vnfInstanceId }: HookContext): string[] {
  const members = hook.endsWith('_end') && hook !== 'terminate_end' ? vnfcs.slice(0, MOST_MEMBERS).map(({ id }) => id) : [];
  return members.length > 0 ? members : [vnfInstanceId];
}

function ledgerStep(hook: HookContext, place: string): StepNode {
  const input: JsonObject = {
    vnfInstanceId: common('/vnfInstanceId'),
    failures: common('/failures'),
    takesMs: takesMs(`${hook.operationId} ${hook.hook} ${place}`),
    password: sourced(SOURCES.instantiateParams, '/chaos/password'),
  };
  const id = `${KEEP_LEDGER.name}:${place}`;
  // The instance is no machine: its limit is one of the service's own.
  const limit = place === hook.vnfInstanceId ? `${CHAOS_SERVICE}:${place}` : `host:${place}`;
  return { kind: 'step', id, ...actionOf, service: CHAOS_SERVICE, target: place, limits: [limit], input };
}

const actionOf = { action: KEEP_LEDGER.name, version: KEEP_LEDGER.version };

/** 50 to 450 ms, the same however often the plan is made. */
const takesMs = (of: string): number => 50 + (createHash('sha256').update(of).digest().readUInt16BE(0) % 401);
