import type { LcmOperation, OperationState } from '@windlass/lifecycle';
import { nextState, OP_OCC_EVENTS } from '@windlass/sol003';
import { CHAOS_SERVICE } from '../driver/chaos.driver.js';
import { membersAt } from '../stage/chaos-package.js';
import type { Aftermath, Evidence, InstanceRecord, SharedImageRecord, VimContents } from './evidence.js';
import { doubledJobs } from './ledger.js';

/** A defect that a run shows. */
export interface Finding {
  kind: 'lost' | 'stuck' | 'doubled' | 'leaked' | 'illegal' | 'shown' | 'left-over';
  says: string;
  operationId?: string;
  vnfInstanceId?: string;
}

const FINAL: readonly OperationState[] = ['COMPLETED', 'FAILED', 'ROLLED_BACK'];

/** The defects of a run; none where the run passes. A pure function. */
export const judge = (evidence: Evidence): Finding[] => [
  ...lostOperations(evidence),
  ...stuckOperations(evidence),
  ...stuckInternals(evidence),
  ...doubledOperations(evidence),
  ...illegalStates(evidence),
  ...doubledJobs(evidence),
  ...lostJobs(evidence),
  ...contents(evidence),
  ...wrongSizes(evidence),
  ...wrongStates(evidence),
  ...evidence.secretsSeen.map(({ what, where }): Finding => ({ kind: 'shown', says: `${what} stands in ${where}` })),
];

/** The defects after all instances were removed. A pure function. */
export const judgeAftermath = ({ vim, vimBefore, notGone, processes }: Aftermath): Finding[] => [
  ...notGone.map((vnfInstanceId): Finding => ({ kind: 'stuck', says: 'could not be terminated and deleted', vnfInstanceId })),
  ...KINDS.flatMap((kind) =>
    added(namesOf(vimBefore, kind), namesOf(vim, kind)).map((name): Finding => ({
      kind: 'leaked',
      says: `the VIM still has ${kind} ${name} when every instance is deleted`,
    })),
  ),
  ...processes.map((process): Finding => ({ kind: 'left-over', says: `process ${process} outlived the run` })),
];

/** Operations that were accepted and are not in the database. */
function lostOperations({ accepted, operations }: Evidence): Finding[] {
  const kept = new Set(operations.map(({ id }) => id));
  return accepted
    .filter(({ id }) => !kept.has(id))
    .map(({ id, vnfInstanceId, operation }) => ({
      kind: 'lost',
      says: `${operation} was accepted, and the database does not know it`,
      operationId: id,
      vnfInstanceId,
    }));
}

/** Operations that are not final: customers answer each FAILED_TEMP until the operation is final. */
function stuckOperations({ operations, unfinished }: Evidence): Finding[] {
  return operations
    .filter(({ id, state }) => !FINAL.includes(state) || unfinished.includes(id))
    .map(({ id, vnfInstanceId, operation, state }) => ({
      kind: 'stuck',
      says: `${operation} did not come to an end in time; it is ${state}`,
      operationId: id,
      vnfInstanceId,
    }));
}

/** Clean-ups and refreshes that have not ended. */
function stuckInternals({ pending }: Evidence): Finding[] {
  return pending.map(({ id, kind, vnfInstanceId, reason }) => ({
    kind: 'stuck',
    says: `${kind} did not come to an end in time${reason === null ? '' : `: ${reason}`}`,
    operationId: id,
    ...(vnfInstanceId === null ? {} : { vnfInstanceId }),
  }));
}

/** Operations in the database that no customer asked for, or not so often. */
function doubledOperations({ accepted, operations }: Evidence): Finding[] {
  const known = new Set(accepted.map(({ id }) => id));
  return operations
    .filter(({ id }) => !known.has(id))
    .map(({ id, vnfInstanceId, operation }) => ({
      kind: 'doubled',
      says: `${operation} is in the database, and nobody asked for it`,
      operationId: id,
      vnfInstanceId,
    }));
}

/** SOL003's table (5.6.2.2): each state follows from the one before by one event. */
function illegalStates({ operations, history }: Evidence): Finding[] {
  return operations.flatMap(({ id, vnfInstanceId, operation, state }) => {
    const states = history.filter(({ operationId }) => operationId === id).map((told) => told.state);
    const steps = states.map((to, n) => [states[n - 1], to] as const);
    const wrong = steps.filter(([from, to]) => (from === undefined ? !isFirst(operation, to) : !follows(operation, from, to)));
    const says = wrong.map(([from, to]) => `${operation} became ${to} ${from === undefined ? 'first' : `after ${from}`}`);
    if (states.at(-1) !== state) says.push(`${operation} was last told to be ${states.at(-1) ?? 'nothing'}, and is ${state}`);
    return says.map((text): Finding => ({ kind: 'illegal', says: text, operationId: id, vnfInstanceId }));
  });
}

const isFirst = (operation: LcmOperation, state: OperationState): boolean =>
  state === (operation === 'MODIFY_INFO' ? 'PROCESSING' : 'STARTING');

const follows = (operation: LcmOperation, from: OperationState, to: OperationState): boolean =>
  OP_OCC_EVENTS.some((event) => {
    try {
      return event !== 'cancel' && nextState(operation, from, event) === to;
    } catch {
      // The table has no such transition.
      return false;
    }
  });

/** Steps that are journaled as done without a job in the host's ledger that ended well. */
function lostJobs({ steps, ledger }: Evidence): Finding[] {
  const ended = new Set(
    ledger.filter(({ event }) => event === 'end').map(({ operationId, stepId, phase }) => `${operationId} ${stepId} ${phase}`),
  );
  const begun = new Set(ledger.map(({ operationId, stepId }) => `${operationId} ${stepId}`));
  return steps
    .filter(({ service, state }) => service === CHAOS_SERVICE && state === 'done')
    .filter(({ operationId, stepId, phase }) => {
      // An undo needs no job where no job ever began.
      if (phase === 'undo' && !begun.has(`${operationId} ${stepId}`)) return false;
      return !ended.has(`${operationId} ${stepId} ${phase}`);
    })
    .map(({ operationId, stepId, phase }) => ({
      kind: 'lost',
      says: `step ${stepId} (${phase}) is journaled as done, and its job never ended well on the host`,
      operationId,
    }));
}

const KINDS = ['stacks', 'servers', 'ports', 'volumes', 'images'] as const;
type Kind = (typeof KINDS)[number];

const namesOf = (vim: VimContents, kind: Kind): string[] => (kind === 'stacks' ? vim.stacks.map(({ name }) => name) : vim[kind]);

/** Compares the VIM with the database: both must have the same contents. */
function contents({ vim, vimBefore, instances, operations, sharedImages = [] }: Evidence): Finding[] {
  const findings: Finding[] = [...ofShared(sharedImages, instances, vim), ...lacking(instances, operations)];
  // For a stack that a failed operation left, the record has the stack's name alone, not its contents.
  const leftStacks = instances.flatMap(({ leftovers }) => (leftovers === null ? [] : [leftovers.stack]));
  // An image whose step died before its report is known by the image that it replaced.
  const knownFirst = [...instances.flatMap(({ leftovers }) => leftovers?.images ?? []), ...sharedImages.map(({ id }) => id)];
  for (const kind of KINDS) {
    const there = added(namesOf(vimBefore, kind), namesOf(vim, kind));
    const wanted = new Map(instances.flatMap((instance) => wantedOf(instance, kind).map((name) => [name, instance.id] as const)));
    const accounted = (name: string): boolean =>
      kind === 'stacks'
        ? [...wanted.keys(), ...leftStacks].some((stack) => name === stack || name.startsWith(`${stack}-`))
        : wanted.has(name) || (kind === 'images' && knownFirst.includes(vim.insteadOf[name] ?? name));
    if (kind === 'stacks' || kind === 'images' || leftStacks.length === 0)
      findings.push(...there.filter((name) => !accounted(name)).map((name) => leak(kind, name)));
    findings.push(...repeated(there).map((name): Finding => ({ kind: 'doubled', says: `the VIM has ${kind} ${name} twice` })));
    for (const [name, vnfInstanceId] of wanted) {
      if (there.includes(name) || isLeft(instances, vnfInstanceId, name)) continue;
      findings.push({ kind: 'lost', says: `the instance has ${kind} ${name}, and the VIM has not`, vnfInstanceId });
    }
  }
  return findings;
}

/** An image that is referred to is in the VIM once, under its own id or in its place. What a failed operation alone refers to may be missing. */
function ofShared(shared: readonly SharedImageRecord[], instances: readonly InstanceRecord[], vim: VimContents): Finding[] {
  return shared.flatMap(({ id, instances: referring }): Finding[] => {
    const there = vim.images.filter((name) => (vim.insteadOf[name] ?? name) === id);
    const of = instances.find((instance) => instance.instantiated && referring.includes(instance.id));
    if (there.length > 1) return [{ kind: 'doubled', says: `the VIM has the shared image ${id} as ${there.join(' and ')}` }];
    if (there.length === 1 || of === undefined) return [];
    return [{ kind: 'lost', says: `the instance refers to the shared image ${id}, and the VIM has not`, vnfInstanceId: of.id }];
  });
}

const leak = (kind: Kind, name: string): Finding => ({
  kind: 'leaked',
  says: `the VIM has ${kind} ${name}, and no instance has`,
  ...(kind === 'stacks' && name.startsWith('vnf-') ? { vnfInstanceId: name.slice('vnf-'.length, 'vnf-'.length + 36) } : {}),
});

/** Whether a thing is among what failed operations may have left: it may be there or not. */
const isLeft = (instances: readonly InstanceRecord[], id: string, name: string): boolean => {
  const leftovers = instances.find((instance) => instance.id === id)?.leftovers;
  return leftovers?.stack === name || leftovers?.images.includes(name) === true;
};

/** The record says by an empty id that something of a VNFC is not made. Only an operation that failed in the VIM, and was marked as failed, leaves that. */
function lacking(instances: readonly InstanceRecord[], operations: Evidence['operations']): Finding[] {
  return instances
    .filter(({ servers, ports, volumes }) => [...servers, ...ports, ...volumes].includes(''))
    .filter(({ id }) => {
      const onIt = operations.filter(({ vnfInstanceId, operation }) => vnfInstanceId === id && operation !== 'MODIFY_INFO');
      return onIt.at(-1)?.state !== 'FAILED';
    })
    .map(({ id }) => ({ kind: 'lost', says: 'the instance has a VNFC of which something is not made', vnfInstanceId: id }));
}

const wantedOf = (instance: InstanceRecord, kind: Kind): string[] => {
  const left = instance.leftovers;
  if (kind === 'stacks') return [instance.stack, left?.stack].filter((name) => typeof name === 'string');
  return kind === 'images' ? [...instance.images, ...(left?.images ?? [])] : instance[kind].filter((name) => name !== '');
};

function wrongSizes({ instances }: Evidence): Finding[] {
  return instances
    .filter(({ scaleLevel, members }) => scaleLevel !== null && members !== membersAt(scaleLevel))
    .map(({ id, scaleLevel, members }) => ({
      kind: 'illegal',
      says: `scaleStatus says level ${String(scaleLevel)}, which is ${membersAt(scaleLevel ?? 0)} members; it has ${members}`,
      vnfInstanceId: id,
    }));
}

/** Compares whether servers run, by the instances' records and by the VIM. */
function wrongStates({ instances, vim }: Evidence): Finding[] {
  const there = new Set(vim.servers);
  return instances.flatMap(({ id, servers, stopped }) =>
    servers
      .filter((server) => there.has(server) && stopped.includes(server) !== vim.stopped.includes(server))
      .map((server) => {
        const [says, is] = stopped.includes(server) ? ['stopped', 'runs'] : ['running', 'does not run'];
        return { kind: 'illegal', says: `the instance says server ${server} is ${says}, and it ${is}`, vnfInstanceId: id };
      }),
  );
}

const added = (before: readonly string[], after: readonly string[]): string[] => after.filter((name) => !before.includes(name));

const repeated = (names: readonly string[]): string[] => [...new Set(names.filter((name, n) => names.indexOf(name) !== n))];
