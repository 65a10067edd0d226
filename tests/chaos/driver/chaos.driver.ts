import { createHash } from 'node:crypto';
import {
  SOURCES,
  type DriverDescription,
  type HookContext,
  type HookedOperation,
  type ManagementDriver,
  type ValidateReply,
} from '@windlass/mgmt-driver';
import { common, defineAction, parallel, source, sourced, stepOf, type Plan, type Step } from '@windlass/saga';

/** The implementation's name in the VNFD of tests/chaos/package. */
export const CHAOS_DRIVER = 'mgmt-drivers-chaos';
/** The service whose replicas run its steps. */
export const CHAOS_SERVICE = 'chaos-mgmt';
export interface LedgerInput {
  vnfInstanceId: string;
  /** So often it fails before it succeeds. */
  failures: number;
  takesMs: number;
  password: string | null;
}

/** Notes in the ledger that it was called. */
export const KEEP_LEDGER = defineAction<LedgerInput>({ service: CHAOS_SERVICE, name: 'keep-ledger', version: 1 });

const PARAMS = source<{ chaos: { password: string | null } }>(SOURCES.instantiateParams);

const HOOKED: readonly HookedOperation[] = [
  'instantiate',
  'scale',
  'scale_to_level',
  'heal',
  'operate',
  'change_external_connectivity',
  'terminate',
];

/** What a request of the workload tells this driver, as `additionalParams.chaos`. */
export interface ChaosParams {
  /** The steps of this hook fail so often before they succeed. */
  failing?: { hook: string; times: number };
  /** Of no use, and never to be seen: the job on the host prints it. */
  password?: string;
}

/** At most so many VNFCs get a step of their own: the more there are, the less happens in a run. */
const MAX_MEMBERS = 2;

/** Notes in a ledger that it was called: a step on the instance before the work, one on each of its first VNFCs after it. */
export class ChaosDriver implements ManagementDriver {
  describe(): DriverDescription {
    return {
      contract: 2,
      driver: CHAOS_DRIVER,
      version: '1.0.0',
      service: CHAOS_SERVICE,
      hooks: HOOKED.flatMap((operation) => [`${operation}_start`, `${operation}_end`] as const),
      actions: [{ name: KEEP_LEDGER.name, version: KEEP_LEDGER.version }],
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
    const shared = { vnfInstanceId: hook.vnfInstanceId, failures };
    return {
      madeBy: { driver: CHAOS_DRIVER, version: '1.0.0' },
      common: shared,
      root: parallel(placesOf(hook).map((place) => ledgerStep(hook, place, shared))),
    };
  }
}

/** Before the VNFCs are there, and after they have gone, the instance itself stands for them. */
function placesOf({ hook, vnfcs, vnfInstanceId }: HookContext): string[] {
  const members = hook.endsWith('_end') && hook !== 'terminate_end' ? vnfcs.slice(0, MAX_MEMBERS).map(({ id }) => id) : [];
  return members.length > 0 ? members : [vnfInstanceId];
}

function ledgerStep(hook: HookContext, place: string, shared: Pick<LedgerInput, 'vnfInstanceId' | 'failures'>): Step {
  const id = `${KEEP_LEDGER.name}:${place}`;
  // The instance is no machine: its limit is one of the service's own.
  const limit = place === hook.vnfInstanceId ? `${CHAOS_SERVICE}:${place}` : `host:${place}`;
  return stepOf(KEEP_LEDGER, {
    id,
    target: place,
    limits: [limit],
    input: {
      vnfInstanceId: common(shared, (of) => of.vnfInstanceId),
      failures: common(shared, (of) => of.failures),
      takesMs: takesMs(`${hook.operationId} ${hook.hook} ${place}`),
      password: sourced(PARAMS, (params) => params.chaos.password),
    },
  });
}

/** 50 to 450 ms, the same however often the plan is made. */
const takesMs = (of: string): number => 50 + (createHash('sha256').update(of).digest().readUInt16BE(0) % 401);
