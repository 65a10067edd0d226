import { oneLine } from '../display/step-tree.js';
import { stepsIn, type PlannedNode, type PlannedStep, type ReceivedPlan } from './received-plan.js';

const [UNDONE, PASSED_OVER, TO_COME] = ['↶', '·', ' (to come)'];

/** What an operation would do, a line each: its steps as they depend on each other, with what they touch and how long they took before. Pure. */
export function planLines(plan: ReceivedPlan): string[] {
  const { operation, vnfInstanceId, vms, warnings, pointOfNoReturn } = plan;
  const steps = stepsIn(plan.plan);
  const vims = [...new Set(steps.flatMap(({ vim }) => vim ?? []))];
  const unknown = steps.filter(({ duration, hook }) => (hook === undefined ? duration === null : hook.plan === undefined)).length;
  return [
    `${operation} of ${vnfInstanceId}: ${counted(steps.length, 'step')}, ${wholeOf(plan, unknown)}`,
    ...(vims.length === 0 ? [] : [`VIM: ${vims.join(', ')}`]),
    ...(vms.toCome.length === 0 ? [] : [`VMs that would be made: ${vms.toCome.join(', ')}`]),
    ...(vms.toGo.length === 0 ? [] : [`VMs that would go: ${vms.toGo.join(', ')}`]),
    ...(plan.volumes?.toGo ?? []).map((volume) => `volume that would be deleted, with all that is on it: ${volume}`),
    ...warnings.map((warning) => `note: ${warning}`),
    ...nodeLines(plan.plan, 1),
    '',
    `${UNDONE} taken back by a roll-back   ${PASSED_OVER} passed over by it`,
    pointOfNoReturn === null ? 'it can be rolled back until it has ended' : `no way back from ${pointOfNoReturn} on`,
    'nothing of it was asked for',
  ].map(oneLine);
}

function wholeOf({ estimate: { seconds, isLowerBound } }: ReceivedPlan, unknown: number): string {
  if (!isLowerBound) return `about ${durationText(seconds)}`;
  const why = `how long ${counted(unknown, 'of them takes', 'of them take')} is not known yet`;
  return seconds === 0 ? why : `at least ${durationText(seconds)}: ${why}`;
}

/** Lines of what is a plan: its VIM stands above, and is said of no step. */
function nodeLines(node: PlannedNode, depth: number): string[] {
  if (node.kind === 'step') return stepLines(node, depth);
  const of = node.of.filter((child) => stepsIn(child).length > 0);
  if (node.kind === 'sequence' || of.length < 2) return of.flatMap((child) => nodeLines(child, depth));
  const heading = node.limit === undefined ? 'side by side:' : `side by side, at most ${node.limit} at once:`;
  return [`${indent(depth)}${heading}`, ...of.flatMap((child) => besideLines(child, depth + 1))];
}

/** What stands beside others: several steps in their order are one of them. */
function besideLines(node: PlannedNode, depth: number): string[] {
  if (node.kind !== 'sequence' || stepsIn(node).length === 1) return nodeLines(node, depth);
  return [`${indent(depth)}one after the other:`, ...nodeLines(node, depth + 1)];
}

function stepLines(step: PlannedStep, depth: number): string[] {
  const before = step.pivot ? [`${indent(depth)}--- from here on nothing can be rolled back ---`] : [];
  if (step.hook !== undefined) return [...before, ...hookLines(step.id, step.hook, depth)];
  const { action, target, service, undoable } = step;
  const comes = step.vms.length === 1 && step.vms[0]?.isToCome === true && step.vms[0].name === target;
  const others = step.vms.filter(({ name }) => name !== target).map(vmText);
  const facts = [
    `${undoable ? UNDONE : PASSED_OVER} ${action}${target === null ? '' : ` ${target}`}${comes ? TO_COME : ''}`,
    ...(others.length === 0 ? [] : [`on ${others.join(', ')}`]),
    `by ${service}`,
    ...(step.after === undefined ? [] : [`after ${step.after.join(', ')}`]),
    stepDuration(step),
  ];
  return [...before, `${indent(depth)}${facts.join('  ')}`];
}

const vmText = ({ name, isToCome }: PlannedStep['vms'][number]): string => (isToCome ? `${name}${TO_COME}` : name);

function hookLines(id: string, { driver, plan, refusal }: NonNullable<PlannedStep['hook']>, depth: number): string[] {
  const head = `${indent(depth)}${PASSED_OVER} ${id}: plan of ${driver}`;
  if (plan === undefined) return [`${head}, which can’t be told yet: ${refusal?.detail ?? 'it gave no reason'}`];
  return stepsIn(plan).length === 0 ? [`${head}: nothing to do`] : [head, ...nodeLines(plan, depth + 1)];
}

function stepDuration({ duration }: PlannedStep): string {
  if (duration === null) return 'not known yet';
  const { seconds, basedOn } = duration;
  return basedOn === 0 ? `${durationText(seconds)}, as asked for` : `${durationText(seconds)} (median of ${basedOn})`;
}

/** `3 min 5 s`; below a minute with a tenth. */
export function durationText(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

const indent = (depth: number): string => '  '.repeat(depth);

const counted = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`;
