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
/** The service whose replicas run the driver's steps. */
export const CHAOS_SERVICE = 'chaos-mgmt';
export interface LedgerInput {
  vnfInstanceId: string;
  /** How often the job fails before it succeeds. */
  failures: number;
  takesMs: number;
  password: string | null;
}

/** Writes a line into the ledger. */
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

/** The parameters of this driver in a request of the workload, as `additionalParams.chaos`. */
export interface ChaosParams {
  /** The hook whose steps fail so often before they succeed. */
  failing?: { hook: string; times: number };
  /** A secret without use, which the job on the host prints, and which must never be seen. */
  password?: string;
}

/** At most so many VNFCs get a step of their own: with more, fewer operations fit into a run. */
const MAX_MEMBERS = 2;

/** Plans steps that write into the ledger: one for the instance before the work, one for each of the first VNFCs after it. */
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

/** The targets of a hook's steps: the first VNFCs, or the instance where there are none yet or no more. */
function placesOf({ hook, vnfcs, vnfInstanceId }: HookContext): string[] {
  const members = hook.endsWith('_end') && hook !== 'terminate_end' ? vnfcs.slice(0, MAX_MEMBERS).map(({ id }) => id) : [];
  return members.length > 0 ? members : [vnfInstanceId];
}

function ledgerStep(hook: HookContext, place: string, shared: Pick<LedgerInput, 'vnfInstanceId' | 'failures'>): Step {
  const id = `${KEEP_LEDGER.name}:${place}`;
  // The instance is no machine: its limit has the service's name.
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

/** The time of a job: 50 to 450 ms, the same each time the plan is made. */
const takesMs = (of: string): number => 50 + (createHash('sha256').update(of).digest().readUInt16BE(0) % 401);
