import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lane, type DurablePicture } from './lane.js';
import { WORKED } from './small-plan.js';
import { differences } from '../support/differences.js';
import { CrashPoints } from '../support/crash-points.js';

/** So many points are tried side by side, each on its own database and NATS: most of a run waits for leases to end. */
const LANES = 6;
/** The limit for a story, in milliseconds: on a quiet machine it takes half a minute. */
const WITHIN = 600_000;

export interface Story {
  title: string;
  ends: string;
  /** Whether the last step is refused at first. */
  refusesLast?: boolean;
  /** The task that a person then asks for; points are counted from this task on. */
  asks?: 'retry' | 'rollback';
}

export const STORIES = {
  byItself: { title: 'goes on by itself after a crash', ends: 'completed' },
  retried: {
    title: 'is retried after a failure, and there is a crash meanwhile',
    ends: 'completed',
    refusesLast: true,
    asks: 'retry',
  },
  rolledBack: {
    title: 'is rolled back, and there is a crash meanwhile',
    ends: 'rolled-back',
    refusesLast: true,
    asks: 'rollback',
  },
} as const satisfies Record<string, Story>;

interface Ending {
  picture: DurablePicture;
  passed: string[];
  struck: string | undefined;
}

async function play(lane: Lane, story: Story, at: string | undefined): Promise<Ending> {
  const { refusesLast = false, asks } = story;
  await lane.accept({ refusesLast });
  if (asks === undefined) lane.points = new CrashPoints(at);
  else {
    expect(await lane.rest()).toBe('suspended');
    lane.points = new CrashPoints(at);
    lane.relent();
    await lane.ask(asks);
  }
  await lane.rest();
  // The last reports and marks come after the operation rests: then a successor has to finish what the struck process left.
  await lane.passes(at === undefined ? expected(story) : [at]);
  await lane.rest();
  const { passed, struck } = lane.points;
  return { picture: await lane.picture(), passed: [...new Set(passed)], struck };
}

/** Plays a run without a strike and without a lost lease. */
async function uninterrupted(lane: Lane, story: Story, triesLeft = 3): Promise<Ending> {
  const ending = await play(lane, story, undefined);
  const isWhole = expected(story).every((point) => ending.passed.includes(point));
  return isWhole || triesLeft === 1 ? ending : uninterrupted(lane, story, triesLeft - 1);
}

/** The defects of a run with a strike at a point. A run that lost a lease on a slow machine may miss the point, and is repeated. */
async function failureAt(lane: Lane, story: Story, at: string, reference: Ending, triesLeft = 3): Promise<string[]> {
  try {
    const { picture, struck } = await play(lane, story, at);
    const found = [...differences(picture, reference.picture), ...lane.troubles.splice(0)];
    if (struck !== undefined || found.length > 0) return found;
    return triesLeft > 1 ? await failureAt(lane, story, at, reference, triesLeft - 1) : ['it was never passed'];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Strikes a small plan on PostgreSQL and NATS at every point of these stories. */
export function strikeEveryPoint(stories: readonly Story[]): void {
  describe('a small plan on PostgreSQL and NATS, whatever point of it is struck', () => {
    let lanes: Lane[] = [];

    beforeAll(async () => {
      lanes = await Promise.all(Array.from({ length: LANES }, () => Lane.start()));
    });

    afterAll(() => Promise.all(lanes.map((lane) => lane.close())));

    it.each(stories.map((story) => [story.title, story] as const))(
      '%s',
      async (_title, story) => {
        const reference = await uninterrupted(lanes[0]!, story);
        expect(lanes[0]!.troubles.splice(0)).toEqual([]);
        expect(reference.picture.operation).toMatchObject({ status: story.ends });
        expect(reference.passed).toEqual(expect.arrayContaining(expected(story)));
        const alone = process.env.CRASH_POINT;
        const points = alone === undefined ? reference.passed : [alone];
        const left = [...points];
        const failures: string[] = [];
        await Promise.all(
          lanes.map(async (lane) => {
            for (let at = left.shift(); at !== undefined; at = left.shift()) {
              const found = await failureAt(lane, story, at, reference);
              if (found.length > 0) failures.push(`a crash ${at}:\n  ${found.join('\n  ')}`);
            }
          }),
        );
        expect(failures.join('\n'), `${failures.length} of ${points.length} points`).toBe('');
      },
      WITHIN,
    );
  });
}

/** Points that must exist: otherwise the suite could be green without a strike. */
function expected({ asks, ends }: Story): string[] {
  const half = asks === 'rollback' ? 'undo' : 'do';
  const lastOne = asks === 'rollback' ? 'busy' : 'last';
  const commits = [`operation ${ends}`, ...WORKED.map((step) => `${step} ${half} running`)];
  const results = WORKED.filter((step) => step !== lastOne).map((step) => `${step} ${half} done`);
  const ofCommits = [...commits, ...results].flatMap((commit) => [
    `before the commit of ${commit}`,
    `after the commit of ${commit}`,
  ]);
  const work = asks === undefined ? 'effect' : asks === 'retry' ? 'check' : 'undoing';
  const ofWork = WORKED.flatMap((step) => [`before the ${work} of ${step}`, `after the ${work} of ${step}`]);
  const ofReports = WORKED.map((step) => `after the report of ${step} ${half}`);
  const ofEvents = [`after the publication of "${ends}"`, `after the mark on "${ends}"`];
  return [...ofCommits, ...ofWork, ...ofReports, ...ofEvents];
}
