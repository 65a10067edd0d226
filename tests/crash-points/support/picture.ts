import { stackNameOf, type LcmEvent } from '@windlass/lifecycle';
import { blank, sorted, withoutVnfcId } from './blanked.js';
import { INSTANCE, type World } from './world.js';

/** The state of a world in a form in which two runs can be compared: random ids, names, times and MAC addresses are blanked. */
export interface Picture {
  operations: {
    operation: string;
    operationState: string;
    error: string | null;
    resourceChanges: unknown;
    isCancelPending: boolean;
  }[];
  instance: unknown;
  /** Clean-ups, refreshes and audits, in the order in which they began. */
  internals: { kind: string; state: string; attempts: number; error: string | null; outcome: unknown }[];
  vim: unknown;
  /** The contents of the machines. */
  machines: unknown;
  /** The jobs that ran on the machines as `step job`, sorted, each once. */
  jobs: string[];
  registeredVims: unknown;
  /** The states that subscribers were told of, in order. */
  told: string[];
  /** The steps that subscribers were told are done, sorted, each once. */
  stepsDone: string[];
  /** The sample's own additions ({@link Sample.alsoSeen}). */
  alsoSeen?: unknown;
}

/** Takes the picture of a world. */
export function pictureOf(world: World): Picture {
  const { store, hosts, vims, emulator } = world;
  return {
    operations: [...store.opOccs.values()].map(({ operation, operationState, error, resourceChanges, isCancelPending }) => ({
      operation,
      operationState,
      error: error?.code ?? null,
      resourceChanges: blank(resourceChanges),
      isCancelPending,
    })),
    instance: blank(store.instances.get(INSTANCE)),
    internals: [...store.internals.values()].map(({ kind, state, attempts, error, outcome }) => ({
      ...{ kind, state, attempts, error: error?.code ?? null },
      outcome: blank(outcome),
    })),
    vim: blank(vimOf(emulator.inventory())),
    machines: blank({
      nodes: sorted([...hosts.nodes.values()].map((node) => ({ ...node, files: [...node.files.keys()].sort() }))),
      listed: [...hosts.listed].sort(),
      api: [...(hosts.api?.keys() ?? [])].sort(),
      // A token lets any machine join.
      tokens: hosts.tokens.size,
    }),
    jobs: jobsOf(world),
    registeredVims: blank([...vims.vims.values(), ...store.vims.map(({ id, tenant }) => ({ id, tenant }))]),
    told: store.events.flatMap(({ subject, message }) => operationEvent(subject, message)),
    stepsDone: [...new Set(store.moves.flatMap(stepDone))].sort(),
  };
}

/** The part of a job's name that is made of the masters' random key for certificates (k8s-mgmt's `shared-certificates.ts`). */
const OF_A_RANDOM_KEY = /(?<=^upload-certificates-)[0-9a-f]{8}$/;

const OF_TOKENS = /^((mint|revoke)-token-|(keep|withdraw|forget)-certificates$|revoke-joins$)/;

/**
 * Without the tokens of joins: one whose join had not begun is made anew under another name, and that of a node that had joined when the
 * worker died is revoked with all others by a later step, since the check finds the node there and nobody attaches to the job: it runs where one is left. The certificates
 * that masters share go with them.
 */
const jobsOf = ({ hosts }: World): string[] => {
  const jobs = hosts.hosts.processes.filter(({ job }) => !OF_TOKENS.test(job));
  const told = jobs.map(({ stepId, job }) => `${withoutVnfcId(stepId)} ${job.replace(OF_A_RANDOM_KEY, '<key>')}`);
  return [...new Set(told)].sort();
};

const operationEvent = (subject: string, message: LcmEvent['message']): string[] =>
  subject.startsWith('windlass.event.operation.') ? [`${String(message.operation)} ${String(message.operationState)}`] : [];

const stepDone = ({ operationId, id, phase, state }: World['store']['moves'][number]): string[] =>
  state === 'done' ? [`${operationId} ${withoutVnfcId(id)} ${phase}`] : [];

/** The picture without IP addresses, which the VIM may choose anew, and without the number of publications. */
export const withoutAddresses = (picture: Picture): Picture =>
  JSON.parse(
    JSON.stringify(picture)
      .replaceAll(/\b\d{1,3}(\.\d{1,3}){3}\b(?!\/)/g, '<address>')
      .replaceAll(/"version":\d+/g, '"version":0'),
  ) as Picture;

/** The disagreements between parts of a world: the VIM must have exactly what the instance's record names. */
export function disagreements(world: World): string[] {
  const { instantiated, leftovers } = world.store.instances.get(INSTANCE) ?? { instantiated: null, leftovers: null };
  if (instantiated?.vim.kind === 'kubernetes' || leftovers?.vim.kind === 'kubernetes' || world.sample.name === 'cnf')
    return [...(leftovers === null ? otherPods(world) : []), ...world.troubles];
  const inventory = world.emulator.inventory().find(({ project }) => project === world.emulator.tenant.project);
  const there = inventory?.servers.map(({ id }) => id).sort() ?? [];
  const said = instantiated?.vnfcs.map(({ resourceId }) => resourceId).sort() ?? [];
  const found: string[] = [];
  if (leftovers === null && JSON.stringify(there) !== JSON.stringify(said))
    found.push(`the VIM has the servers ${there.join(', ')}; the instance says ${said.join(', ')}`);
  const stacks = inventory?.stacks.filter(({ name }) => name === stackNameOf(INSTANCE)).map(({ id }) => id) ?? [];
  const stack = instantiated?.stack.id;
  if (leftovers === null && JSON.stringify(stacks) !== JSON.stringify(stack === undefined ? [] : [stack]))
    found.push(`the VIM has the stacks ${stacks.join(', ')}; the instance says ${stack ?? 'none'}`);
  return [...found, ...doubledJobs(world), ...world.troubles];
}

function otherPods({ cluster, store }: World): string[] {
  const said =
    store.instances
      .get(INSTANCE)
      ?.instantiated?.vnfcs.map(({ resourceId }) => resourceId)
      .sort() ?? [];
  const there = cluster.pods.toSorted();
  return there.join() === said.join()
    ? []
    : [`the cluster has the pods ${there.join(', ')}; the instance says ${said.join(', ')}`];
}

/** The steps with two processes at the same time. */
const doubledJobs = ({ hosts }: World): string[] =>
  hosts.hosts.doubled().map(([one]) => `two jobs ${one.job} of ${one.stepId} ran at once on ${one.resourceId}`);

/** Jobs that were started more than once in one attempt: a worker that takes an attempt over must attach to the job. */
export function repeatedJobs({ hosts }: World, from = 0): string[] {
  const seen = new Map<string, number>();
  for (const { resourceId, stepId, attemptEpoch, job } of hosts.hosts.processes.slice(from)) {
    const key = `${resourceId} ${stepId} ${job}, attempt of epoch ${attemptEpoch}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return [...seen].filter(([, times]) => times > 1).map(([key, times]) => `${key}: ${times} times`);
}

/** The VIM's inventory with its lists sorted. */
const vimOf = (inventory: readonly object[]): unknown =>
  inventory.map((project) =>
    Object.fromEntries(
      Object.entries(project).map(([kind, things]) => [
        kind,
        Array.isArray(things) ? sorted(things.map(blank)) : (things as unknown),
      ]),
    ),
  );
