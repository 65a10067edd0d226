import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differences } from './differences.js';
import type { Picture } from './picture.js';
import type { Sample } from './samples.js';
import type { Scene } from './scenes.js';
import {
  cancelAndRollBack,
  crash,
  crashOfAll,
  crashWhileRetried,
  crashWhileRolledBack,
  failureAndRetry,
  play,
  type Ending,
  type Story,
} from './stories.js';

/** The limit for one story, in milliseconds: a few hundred plays of up to half a second, three times as long on a busy machine. */
const WITHIN = 900_000;

export interface Extent {
  /** Whether points that differ only in the node are tried on the first node alone. */
  oneNode?: boolean;
  /** `by-itself`: only the stories in which the operation goes on by itself. `with-a-person`: only those in which a person acts. All by default. */
  stories?: 'by-itself' | 'with-a-person';
  /** Only each n-th of the points is tried: all would take hours. */
  each?: number;
  /** Only the points of this step are tried, in stories that begin with the operation. */
  step?: string;
}

/** Tries every crash point of an operation, in every story. */
export function everyPoint(sample: () => Sample, scene: Scene, extent: Extent = {}): void {
  if (extent.stories === 'with-a-person' && !concernsAPerson(scene)) return;
  describe(`${scene.title}, whatever point of it is struck`, () => {
    const tried = (story: Story, judge: Judge) => it(story.title, () => tryAll(sample(), scene, story, judge, extent), WITHIN);
    if (extent.stories !== 'with-a-person') {
      tried(crash, sameAsUninterrupted);
      tried(crashOfAll, sameAsUninterrupted);
    }
    if (extent.stories !== 'by-itself') withAPerson(sample, scene, extent, tried);
  });
}

/** An internal saga is neither cancelled nor rolled back, and is given up where the sweep does not try it again. */
const concernsAPerson = (scene: Scene): boolean => !('internal' in scene) || scene.again;

/** The stories in which a person cancels, retries or rolls back. */
function withAPerson(sample: () => Sample, scene: Scene, extent: Extent, tried: (story: Story, judge: Judge) => void): void {
  const isInternal = 'internal' in scene;
  if (!isInternal) tried(cancelAndRollBack, allOrNothing);
  if (!concernsAPerson(scene)) return;
  tried(failureAndRetry, retriedOrTakenBack);
  // The remaining stories strike after another step has failed.
  if (extent.step !== undefined) return;
  it(
    'is retried after a failure of its last step, whatever crash there is meanwhile',
    async () => {
      const failing = (await failingPoints(sample(), scene)).last;
      if (failing !== undefined) await tryAll(sample(), scene, crashWhileRetried(failing), sameAsUninterrupted, extent);
    },
    WITHIN,
  );
  if (isInternal) return;
  it(
    'is rolled back after a failure before its pivot, whatever crash there is meanwhile',
    async () => {
      const failing = (await failingPoints(sample(), scene)).beforePivot;
      if (failing === undefined) await refusedPastPivot(sample(), scene);
      else await tryAll(sample(), scene, crashWhileRolledBack(failing), takenBack, extent);
    },
    WITHIN,
  );
}

/** Compares an ending with that of the same story without a strike. */
type Judge = (ending: Ending, reference: Ending) => void;

const sameAsUninterrupted: Judge = ({ after }, reference) => {
  expectDone(reference);
  expect(differences(after, reference.after)).toEqual([]);
};

/** Checks that the operation or the internal sagas of a story without a strike have ended well. */
function expectDone({ before, after }: Ending): void {
  for (const { state } of after.internals) expect(state).toBe('DONE');
  if (after.internals.length === before.internals.length)
    expect(after.operations.at(-1)).toMatchObject({ operationState: 'COMPLETED', error: null });
}

/**
 * Compares the endings, except for the notified failure, for jobs of failed attempts that ran again, and for how often the instance was written: what a failed
 * attempt left is written into it, and taken out again.
 */
const sameInTheEnd: Judge = ({ after }, reference) => expect(differences(inTheEnd(after), inTheEnd(reference.after))).toEqual([]);

const inTheEnd = ({ told: _told, jobs: _jobs, stepsDone: _done, internals, instance, ...rest }: Picture) => ({
  ...rest,
  instance: typeof instance === 'object' ? { ...instance, version: undefined } : instance,
  internals: internals.map(({ attempts: _attempts, ...saga }) => saga),
});

/** Steps before PROCESSING: their failure ends the operation ROLLED_BACK, and nothing can be retried. */
const ENDS_IT = / of (find-images|run-user-data|plan-objects)$/;

const retriedOrTakenBack: Judge = (ending, reference) => {
  if (ending.struck !== undefined && ENDS_IT.test(ending.struck)) takenBack(ending);
  else sameInTheEnd(ending, reference);
};

const allOrNothing: Judge = (ending, reference) => {
  const { operationState } = ending.after.operations.at(-1)!;
  if (operationState === 'ROLLED_BACK') takenBack(ending);
  else sameInTheEnd(ending, reference);
};

const takenBack = (ending: Ending, reference?: Ending): void => {
  expect(ending.after.operations.at(-1)).toMatchObject({ operationState: 'ROLLED_BACK', resourceChanges: null });
  expect(ending.after.told.at(-1)).toMatch(/ ROLLED_BACK$/);
  const world = ({ vim, instance, machines, registeredVims, alsoSeen }: Picture) => ({
    ...{ vim, instance, machines, registeredVims },
    alsoSeen,
  });
  expect(differences(world(ending.after), world(ending.before))).toEqual([]);
  if (reference !== undefined) expect(differences(ending.after, reference.after)).toEqual([]);
};

async function tryAll(sample: Sample, scene: Scene, story: Story, judge: Judge, extent: Extent): Promise<void> {
  const reference = await play(sample, scene, story, undefined);
  expect(reference.faults, 'without any strike').toEqual([]);
  const failures: string[] = [];
  const points = chosen(reference.passed, story, extent);
  if (reference.passed.some(isWork)) expect(points.length, 'points to strike at').toBeGreaterThan(0);
  for (const at of points) {
    try {
      const ending = await play(sample, scene, story, at);
      expect(ending.struck, 'the point was passed again').toBeDefined();
      expect(ending.faults).toEqual([]);
      judge(ending, reference);
    } catch (error) {
      failures.push(`point ${at}, ${reference.passed[at] ?? ''}: ${reasonOf(error)}
  alone: CRASH_POINT=${at} npx vitest run ${ownFile()} -t '${scene.title}.*${story.title.slice(0, 20)}'`);
    }
  }
  if (failures.length > 0) throw new Error(`${failures.length} of ${points.length} points:\n${failures.slice(0, 10).join('\n')}`);
}

/** The spec that runs, as the command line names it. */
const ownFile = (): string => relative(process.cwd(), expect.getState().testPath ?? '');

/** Checks that an operation whose first step is the pivot refuses the rollback. */
async function refusedPastPivot(sample: Sample, scene: Scene): Promise<void> {
  const { last } = await failingPoints(sample, scene);
  if (last === undefined) return;
  await expect(play(sample, scene, crashWhileRolledBack(last), undefined)).rejects.toMatchObject({
    code: 'operation.past-pivot',
    status: 409,
  });
}

/** The full text of a failed assertion. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { actual } = error as { actual?: unknown };
  return actual === undefined ? error.message : `${error.message}\n    ${String(actual).replaceAll('\n', '\n    ')}`;
}

/** The numbers of the points to be tried. */
function chosen(passed: readonly string[], story: Story, { oneNode = false, each = 1, step }: Extent): number[] {
  const alone = process.env.CRASH_POINT;
  if (alone !== undefined) return [Number(alone)];
  const seen = new Set<string>();
  const tried = passed.flatMap((point, at) => {
    if (story.strikesAt?.(point) === false || (step !== undefined && !point.endsWith(` of ${step}`))) return [];
    const kind = point.replaceAll(/(?<=:(master|worker))\d+/g, '');
    if (oneNode && process.env.CRASH_POINTS !== 'all' && seen.has(kind)) return [];
    seen.add(kind);
    return [at];
  });
  return process.env.CRASH_POINTS === 'all' ? tried : tried.filter((_at, n) => n % each === 0);
}

/** Whether a point is the end of a worker's step: only there can work fail. */
const isWork = (point: string): boolean => point.startsWith('after-effect of ');

/** The ends of the last step, and of the last step before the pivot, where there is most to undo. */
async function failingPoints(
  sample: Sample,
  scene: Scene,
): Promise<{ last: string | undefined; beforePivot: string | undefined }> {
  const { passed, pivot } = await play(sample, scene, crash, undefined);
  // A clean-up that the operation has begun is no step of the operation; a shared image has a clean-up of its own.
  const ofAnother = 'internal' in scene ? sample.sharesImages === true && / of remove-left-image/ : / of remove-left-/;
  const ends = passed.filter((point) => isWork(point) && !(ofAnother !== false && ofAnother.test(point)));
  const upTo = pivot === undefined ? -1 : ends.indexOf(`after-effect of ${pivot}`);
  return { last: ends.at(-1), beforePivot: upTo === -1 ? ends.at(-1) : ends[upTo - 1] };
}
