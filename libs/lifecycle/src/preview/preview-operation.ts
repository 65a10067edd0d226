import { maskSecrets, WindlassError, type JsonObject, type SecretPlaces } from '@windlass/foundation';
import { isHook, type DriverDescription, type Hook, type HookContext, type Vnfc, type VnfcVolume } from '@windlass/mgmt-driver';
import { compileBounded, type OfferedAction, type Plan, type PlanNode, type StepNode } from '@windlass/saga';
import { isCluster } from '../records/on-kubernetes.js';
import type { OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import { definedFor, type OperationDefinition } from '../operation/operation-definition.js';
import type { OperationTable } from '../operation/operation-table.js';
import type { PackageRecord } from '../ports.js';
import { boundsWith } from '../operation/driver-bounds.js';
import { awaitGraceAction } from '../shared-steps/grant/grace.js';
import { quotableSecrets } from '../operation/hidden-params.js';
import { hookContextOf } from '../operation/hook-context.js';
import { askDriverAction, type SagaContext } from '../operation/operation-saga.js';
import { estimateOf, type Estimate } from './estimate.js';
import type { KnownDuration, KnownDurations } from './known-durations.js';
import type { PredictedDrafts } from '../operation/predicted-drafts.js';
import { PlaceholderVms, type MadeUpWorld } from '../operation/placeholder-vms.js';
import { planned, plannedBelow, type PlannedNode, type PlannedStep, type PlannedVm, type ShownBy } from './planned-steps.js';

/** An operation that nobody has asked for, as it would be. */
export interface PreviewSubject {
  definition: OperationDefinition;
  operations: OperationTable;
  /** As it would be accepted, with the VIM chosen; it is kept nowhere. */
  opOcc: OpOccRecord;
  instance: VnfInstanceRecord;
  package: PackageRecord;
  /** Where secrets lie in the parameters. */
  secrets: SecretPlaces;
  /** Whether the grant is an NFVO's. */
  asksNfvo: boolean;
  /** Whether instances share the images of their packages. */
  sharesImages?: boolean;
}

/** What is asked to make a preview. Nothing of it changes anything. */
export interface PreviewPorts {
  driver(name: string): Promise<DriverDescription | undefined>;
  offers(): Promise<OfferedAction[]>;
  plan(driver: DriverDescription, context: HookContext): Promise<Plan>;
  durations(actions: readonly { service: string; action: string }[]): Promise<KnownDurations>;
}

/** What an operation would do. */
export interface OperationPreview {
  /** The id of the step from which on nothing can be rolled back; null where everything can. */
  pointOfNoReturn: string | null;
  /** Names of VMs that would be made, and of those that would go; of one that is replaced both. */
  vms: { toCome: string[]; toGo: string[] };
  /** Volumes that would be deleted with all that is on them, as `<what the VNFD calls it> (<the VIM's id>)`. */
  volumes: { toGo: string[] };
  estimate: Estimate;
  plan: PlannedNode;
}

/** The steps that an operation would run now, those of its hooks' drivers too, with how long they took the last times. */
export async function previewOf(given: PreviewSubject, ports: PreviewPorts): Promise<OperationPreview> {
  const subject = { ...given, definition: definedFor(given.definition, given.opOcc.draft.vim?.kind) };
  const { definition, operations, opOcc, instance, package: record } = subject;
  const flavourId = operations.flavourIdOf(opOcc, instance);
  const granted = subject.asksNfvo && definition.grant !== null ? { grantRequest: '' } : {};
  const sharing = subject.sharesImages === true && !isCluster(opOcc.draft.vim) ? { sharing: { project: '' } } : {};
  const context: SagaContext = { opOcc, instance, package: record, flavourId, ...granted, ...sharing };
  const own = definition.plan(context);
  const [one, other] = [worldOf(subject, context, 'one'), worldOf(subject, context, 'other')];
  const hooks = new Map<string, HookPlan>();
  for (const step of stepsOf(own.root).filter(asksDriver))
    hooks.set(step.id, await hookPlan(step, { subject, ports, one, other, hooks }));
  const below = [...hooks.values()].flatMap(({ plans }) => (plans === undefined ? [] : [plans.one]));
  const durations = await ports.durations([own, ...below].flatMap(({ root }) => stepsOf(root)));
  const by: ShownBy = { durations: withGrace(durations, opOcc.request), vms: vmsBy(instance, one.placeholders) };
  const plan = withHooks(planned(own, by), hooks, by);
  return {
    pointOfNoReturn: stepsIn(plan).find(({ pivot }) => pivot)?.id ?? null,
    ...comingAndGoing(subject, one),
    estimate: estimateOf(plan),
    plan,
  };
}

/** The result of the operation, with made-up values for all that is not known yet. */
interface World {
  placeholders: PlaceholderVms;
  predicted: PredictedDrafts;
}

function worldOf({ definition }: PreviewSubject, context: SagaContext, name: MadeUpWorld): World {
  const placeholders = new PlaceholderVms(context.instance.id, name);
  const effect = definition.effect?.(context) ?? {};
  return { placeholders, predicted: definition.predictDrafts(context, effect, placeholders) };
}

/** What a driver answered, for both worlds; or why there is no plan. */
interface HookPlan {
  driver: string;
  plans?: { one: Plan; other: Plan };
  /** Full ids of the plan's steps. */
  steps?: string[];
  refusal?: { code: string; detail: string };
}

interface Asking {
  subject: PreviewSubject;
  ports: PreviewPorts;
  one: World;
  other: World;
  /** Those before it. */
  hooks: ReadonlyMap<string, HookPlan>;
}

const asksDriver = ({ action, service }: Pick<StepNode, 'action' | 'service'>): boolean =>
  action === askDriverAction.name && service === askDriverAction.service;

/** The plan of a hook. Where a driver can't plan before the VMs exist, the preview shows why in place of the plan. */
async function hookPlan({ id, target: driver = '' }: StepNode, asking: Asking): Promise<HookPlan> {
  const { subject, ports, one, other, hooks } = asking;
  try {
    const description = await ports.driver(driver);
    if (description === undefined || !isHook(id)) return { driver, refusal: unknownDriver(driver) };
    const [now, otherwise] = [occurrenceAt(subject, one, id), occurrenceAt(subject, other, id)];
    const [context, otherContext] = [now, otherwise].map((opOcc) => hookContextOf({ ...subject, hook: id, opOcc })) as [
      HookContext,
      HookContext,
    ];
    const plan = await ports.plan(description, context);
    const steps = new Set([...hooks.values()].flatMap((each) => (each.driver === driver ? (each.steps ?? []) : [])));
    const bounds = boundsWith({ description, offers: await ports.offers(), steps, opOcc: now, instance: subject.instance });
    const compiled = compileBounded(plan, id, bounds);
    const isSame = JSON.stringify(context) === JSON.stringify(otherContext);
    const plans = { one: plan, other: isSame ? plan : await ports.plan(description, otherContext) };
    return { driver, plans, steps: compiled.steps.map((step) => step.id) };
  } catch (error) {
    if (!(error instanceof WindlassError)) throw error;
    const secrets = quotableSecrets(subject.opOcc, subject.instance, subject.secrets);
    return { driver, refusal: { code: error.code, detail: maskSecrets(error.message, secrets) } };
  }
}

const unknownDriver = (driver: string): { code: string; detail: string } => ({
  code: 'driver.unknown',
  detail: `the driver ${driver} has not been seen yet: start the service that has it`,
});

/** The occurrence as it will stand at the hook. */
function occurrenceAt({ opOcc }: PreviewSubject, { predicted }: World, hook: Hook): OpOccRecord {
  return { ...opOcc, draft: { ...opOcc.draft, ...(hook.endsWith('_start') ? predicted.start : predicted.end) } };
}

function withHooks(node: PlannedNode, hooks: ReadonlyMap<string, HookPlan>, by: ShownBy): PlannedNode {
  if (node.kind !== 'step') return { ...node, of: node.of.map((child) => withHooks(child, hooks, by)) };
  const found = hooks.get(node.id);
  if (found === undefined || !asksDriver(node)) return node;
  const { driver, plans, refusal } = found;
  return {
    ...node,
    // What is measured of it holds its plan's steps.
    duration: null,
    hook: {
      driver,
      ...(plans === undefined ? {} : { plan: plannedBelow(node.id, plans.one, plans.other, by) }),
      ...(refusal === undefined ? {} : { refusal }),
    },
  };
}

/** A wait that the request asks for has the duration that the request gives. */
function withGrace(durations: KnownDurations, request: JsonObject): KnownDurations {
  const { gracefulTerminationTimeout, gracefulStopTimeout } = request;
  const seconds = gracefulTerminationTimeout ?? gracefulStopTimeout;
  const grace: KnownDuration | undefined = typeof seconds === 'number' ? { seconds, basedOn: 0 } : undefined;
  return { of: (step) => (step.action === awaitGraceAction.name ? grace : durations.of(step)) };
}

function vmsBy({ instantiated }: VnfInstanceRecord, { names }: PlaceholderVms): Map<string, PlannedVm> {
  const vms = new Map<string, PlannedVm>();
  for (const { id, resourceId, name } of instantiated?.vnfcs ?? [])
    for (const each of [id, resourceId]) vms.set(each, { name, isToCome: false });
  for (const [id, name] of names) vms.set(id, { name, isToCome: true });
  return vms;
}

/** Compares by servers: a healed VNFC stays, but its VM does not. */
function comingAndGoing(
  { definition, instance }: PreviewSubject,
  { predicted }: World,
): Pick<OperationPreview, 'vms' | 'volumes'> {
  const now = instance.instantiated?.vnfcs ?? [];
  const then = definition.endsVnf === true ? [] : (predicted.end.instantiated?.vnfcs ?? now);
  return {
    vms: { toCome: without(then, now).map(({ name }) => name), toGo: without(now, then).map(({ name }) => name) },
    volumes: { toGo: without(volumesOf(now), volumesOf(then)).map(({ name, resourceId }) => `${name} (${resourceId})`) },
  };
}

/** Those that are not among the others, by their ids in the VIM. */
function without<T extends { resourceId: string }>(things: readonly T[], others: readonly T[]): T[] {
  const there = new Set(others.map(({ resourceId }) => resourceId));
  return things.filter(({ resourceId }) => !there.has(resourceId));
}

/** The volumes of VNFCs. A volume that several servers share is listed once. */
const volumesOf = (vnfcs: readonly Vnfc[]): VnfcVolume[] => [
  ...new Map(vnfcs.flatMap(({ volumes = [] }) => volumes.map((volume) => [volume.resourceId, volume] as const))).values(),
];

const stepsOf = (node: PlanNode): StepNode[] => (node.kind === 'step' ? [node] : node.of.flatMap(stepsOf));

/** All steps from top to bottom, those of hooks too. */
export function stepsIn(node: PlannedNode): PlannedStep[] {
  if (node.kind !== 'step') return node.of.flatMap(stepsIn);
  return [node, ...(node.hook?.plan === undefined ? [] : stepsIn(node.hook.plan))];
}
