import { isJsonObject, TerminalError } from '@windlass/foundation';
import { SOURCES, type DriverDescription } from '@windlass/mgmt-driver';
import type { JournalTransaction, PlanBounds, StepRecord } from '@windlass/saga';
import { INFRA_SERVICE, COORDINATOR_SERVICE } from '../records/services.js';
import type { OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import type { LcmStore } from '../ports.js';
import { countedAs, limitOfHost } from '../records/limit-keys.js';
import { askDriverAction } from './operation-saga.js';

/** Services that our own sagas direct, and prefixes of limits that hold for everything: no driver may use these names. */
const NO_DRIVERS = [COORDINATOR_SERVICE, INFRA_SERVICE, 'lcm-api', 'vim-registry', 'vim', 'host', 'image', 'service', 'suspects'];

/** The operation and the instance that a driver's plan is about. */
export interface BoundsSubject {
  opOcc: OpOccRecord;
  instance: VnfInstanceRecord;
}

/**
 * The bounds of a plan that a step returned: those of the driver that the hook above the step asked.
 * @throws TerminalError `plan.not-expected` where the step stands below no hook, is an undo, or belongs to a service other than the driver's;
 *   `driver.unknown` where no service has announced the driver
 */
export async function driverBounds(
  tx: JournalTransaction,
  store: LcmStore,
  step: StepRecord,
  { opOcc, instance }: BoundsSubject,
): Promise<PlanBounds> {
  const hook = hookAbove(tx, step);
  if (hook === undefined)
    throw notExpected(step, 'only a hook, and a step that a driver has planned for its own service, become plans');
  if (step.phase === 'undo') throw notExpected(step, 'it was to be undone');
  const driver = await driverAsked(tx, hook);
  const description = await describedAs(tx, store, driver);
  const { service } = description;
  if (step !== hook && step.service !== service)
    throw notExpected(step, `the driver ${driver} planned it, whose service is ${service}: what another offers is one step`);
  const offers = await store.offers(tx.handle);
  return boundsWith({ description, offers, steps: await stepsGivenBy(tx, driver), opOcc, instance });
}

/**
 * The bounds of that driver's plans.
 * @param given.steps full ids of steps of the driver's earlier plans
 * @throws TerminalError `plan.refused` where the driver's description names a service that can't be a driver's
 */
export function boundsWith({
  description,
  offers,
  steps,
  opOcc,
  instance,
}: BoundsSubject & Pick<PlanBounds, 'offers' | 'steps'> & { description: DriverDescription }): PlanBounds {
  const { driver, service, actions } = description;
  if (NO_DRIVERS.includes(service))
    throw new TerminalError(
      'plan.refused',
      `the driver ${driver} calls ${service} its service, which is none of a driver: announce it with its own`,
    );
  const { vnfcs, resourceIds } = machinesOf(opOcc, instance);
  return {
    driver,
    service,
    actions,
    offers,
    sources: new Set([...PARAMS, ...vnfcs.map((id) => SOURCES.vnfc(id))]),
    steps,
    limits: new Set([...resourceIds, ...vnfcs].filter((id) => id !== '').map(limitOfHost)),
    countedAs: (key) => countedAs(opOcc.vnfInstanceId, key),
  };
}

/** Parameters that a driver's steps may be given. */
const PARAMS: readonly string[] = [SOURCES.instantiateParams, SOURCES.requestParams, SOURCES.retryParams];

/**
 * Whether a step of a driver's plan may read a source when it is claimed. The rule is that of {@link driverBounds}, decided by the journal's rows
 * alone.
 */
export function mayRead(tx: JournalTransaction, step: StepRecord, source: string): boolean {
  if (source.startsWith('common:')) return source === `common:${step.parentId}`;
  if (source.startsWith('step:')) {
    const used = tx.steps.find(({ id }) => id === source.slice('step:'.length));
    const hook = used === undefined || used.parentId === null ? undefined : hookAbove(tx, used);
    // The target of a hook's step is its driver, as in its input.
    return hook !== undefined && hook.target === hookAbove(tx, step)?.target;
  }
  return PARAMS.includes(source) || source.startsWith(SOURCES.vnfc(''));
}

/** A step that a driver planned, as it is called in messages. */
export async function contributorOf(tx: JournalTransaction, step: StepRecord): Promise<string> {
  const hook = step.parentId === null ? undefined : hookAbove(tx, step);
  return `step "${step.id}"${hook === undefined ? '' : ` of the driver ${await driverAsked(tx, hook)}`}`;
}

/** The hook of a step: the step itself, or the step above it that asked a driver. */
function hookAbove(tx: JournalTransaction, step: StepRecord): StepRecord | undefined {
  let top: StepRecord | undefined = step;
  while (top !== undefined && top.parentId !== null) {
    const { parentId }: StepRecord = top;
    top = tx.steps.find(({ id }) => id === parentId);
  }
  return top?.action === askDriverAction.name && top.service === COORDINATOR_SERVICE ? top : undefined;
}

async function driverAsked(tx: JournalTransaction, hook: StepRecord): Promise<string> {
  const input = await tx.readPayload(hook.id, 'input');
  const driver = isJsonObject(input) ? input.driver : undefined;
  if (typeof driver !== 'string') throw notExpected(hook, 'its input names no driver');
  return driver;
}

async function describedAs(tx: JournalTransaction, store: LcmStore, driver: string): Promise<DriverDescription> {
  const description = await store.driver(tx.handle, driver);
  if (description === undefined)
    throw new TerminalError(
      'driver.unknown',
      `the driver ${driver} has not been seen yet: start the service that has it, then retry`,
    );
  return description;
}

/** Steps that are done in plans of that driver, in any hook. */
async function stepsGivenBy(tx: JournalTransaction, driver: string): Promise<Set<string>> {
  const hooks = new Map<StepRecord, boolean>();
  const given = new Set<string>();
  for (const step of tx.steps) {
    if (step.parentId === null || step.phase !== 'do' || step.state !== 'done') continue;
    const hook = hookAbove(tx, step);
    if (hook === undefined) continue;
    const isOwn = hooks.get(hook) ?? (await driverAsked(tx, hook)) === driver;
    hooks.set(hook, isOwn);
    if (isOwn) given.add(step.id);
  }
  return given;
}

/** The instance's VNFCs, and the machines of all VNFCs, those that the operation removes, brings or replaces included. */
function machinesOf(opOcc: OpOccRecord, instance: VnfInstanceRecord): { vnfcs: string[]; resourceIds: string[] } {
  const { instantiated, affectedVnfcs = [], heal } = opOcc.draft;
  const vnfcs = (instantiated ?? instance.instantiated)?.vnfcs ?? [];
  const affected = affectedVnfcs.map(({ vnfc }) => vnfc);
  return {
    vnfcs: vnfcs.map(({ id }) => id),
    resourceIds: [
      ...[...vnfcs, ...affected].map(({ resourceId }) => resourceId),
      ...Object.values(heal?.earlierResourceIds ?? {}),
    ],
  };
}

const notExpected = ({ id, service }: StepRecord, why: string): TerminalError =>
  new TerminalError('plan.not-expected', `step "${id}" of ${service} returned a plan where none may come from: ${why}`);
