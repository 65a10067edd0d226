import { hours, minutes, RequestError, seconds } from '@windlass/foundation';
import { startStandInNfvo, type StandInNfvo } from '../../support/standin-nfvo.js';
import { blank } from './blanked.js';
import { CrashPoints, type Strike } from './crash-points.js';
import { disagreements, pictureOf, repeatedJobs, withoutAddresses, type Picture } from './picture.js';
import type { Sample } from './samples.js';
import { begin, sceneTitled, type Scene } from './scenes.js';
import { World } from './world.js';

/** A story, which is played once for each of its points, with a strike at the point. */
export interface Story {
  /** The title, such as `carried on after a crash`. */
  title: string;
  strike: Strike;
  /** Whether the workers die with the coordinator, and the wake-ups are lost. */
  allDie?: boolean;
  /** Plays the story. Points are counted from the call of `from` on. */
  play(world: World, id: string, from: () => void): Promise<void>;
  /** Whether the story strikes at such a point; at every point by default. */
  strikesAt?(point: string): boolean;
}

const isCommit = (point: string): boolean => /^(before|after)-commit /.test(point);

/** The process dies, and the operation goes on by itself. */
export const crash: Story = {
  title: 'goes on by itself after a crash',
  strike: 'crash',
  play: async (world, id, from) => {
    from();
    await world.settle(id);
  },
};

/** All processes die at once, and the wake-ups are lost. */
export const crashOfAll: Story = {
  ...crash,
  title: 'goes on by itself after a crash of everything',
  allDie: true,
  strikesAt: isCommit,
};

/** The process dies, then a person cancels with force and rolls back, or, past the pivot, retries. */
export const cancelAndRollBack: Story = {
  title: 'after a crash is cancelled with force and rolled back',
  strike: 'crash',
  play: async (world, id, from) => {
    from();
    const reference = world.points.at === undefined;
    if (reference || !(await world.untilCrashed(id))) {
      await world.settle(id);
      return;
    }
    if (!['completed', 'rolled-back', 'suspended'].includes(world.operation(id).status)) await world.ask(id, 'cancel');
    await world.settle(id);
    await takeBack(world, id);
  },
};

/** A step fails for good at the point, and a person retries. */
export const failureAndRetry: Story = {
  title: 'is retried after a failure',
  strike: 'failure',
  strikesAt: (point) => !isCommit(point) && !point.startsWith('after-result') && !point.startsWith('before-change'),
  play: async (world, id, from) => {
    from();
    await world.settle(id);
    if (world.operation(id).status === 'suspended') await world.ask(id, 'retry');
    await world.settle(id);
  },
};

/** The operation has failed at its last step, and the crash comes during the retry. */
export const crashWhileRetried = (failing: string): Story => ({
  title: `is retried after "${failing}" has failed, and there is a crash meanwhile`,
  strike: 'crash',
  play: async (world, id, from) => {
    await failAt(world, id, failing);
    from();
    await world.ask(id, 'retry');
    await world.settle(id);
  },
});

/** The operation has failed before its pivot, and the crash comes during the rollback. */
export const crashWhileRolledBack = (failing: string): Story => ({
  title: `is rolled back after "${failing}" has failed, and there is a crash meanwhile`,
  strike: 'crash',
  play: async (world, id, from) => {
    await failAt(world, id, failing);
    from();
    await world.ask(id, 'rollback');
    await world.settle(id);
  },
});

async function failAt(world: World, id: string, point: string): Promise<void> {
  world.points = new CrashPoints(point, 'failure');
  await world.settle(id);
  if (world.operation(id).status !== 'suspended')
    throw new Error(`it was to fail ${point}, and is ${world.operation(id).status}`);
}

async function takeBack(world: World, id: string): Promise<void> {
  while (world.operation(id).status === 'suspended') {
    try {
      await world.ask(id, 'rollback');
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== 'operation.past-pivot') throw error;
      await world.ask(id, 'retry');
    }
    await world.settle(id);
  }
}

/** The end of one play. */
export interface Ending {
  /** The picture before the operation was asked for. */
  before: Picture;
  after: Picture;
  passed: readonly string[];
  struck: string | undefined;
  /** The step past which nothing is undone. */
  pivot: string | undefined;
  /** Defects that no story allows. */
  faults: string[];
}

/** How the simulation's coordinator waits for grants. */
const WAITING = { publicUrl: 'http://vnfm.example', grantWithin: hours(1), askAgainEvery: seconds(1) };

/** A fault where the NFVO was asked for different grants. After a death, the same request may come again. */
const askedTwice = ({ asked }: StandInNfvo): string[] => {
  const different = new Set(asked.map((request) => JSON.stringify(request))).size;
  return different === 1 ? [] : [`the NFVO was asked for ${different} different grants; expected one`];
};

/** Sets the scene, plays the story with a strike at one point, and takes the picture of the world. */
export async function play(sample: Sample, scene: Scene, story: Story, at: number | undefined): Promise<Ending> {
  const nfvo = 'granted' in scene ? await startStandInNfvo() : undefined;
  // The NFVO answers 202, and has decided at the first look.
  nfvo?.decide({ later: () => ({}) });
  nfvo?.release();
  const world = await World.start(sample, nfvo === undefined ? undefined : { ...WAITING, url: nfvo.url });
  try {
    for (const earlier of scene.after.map(sceneTitled)) await world.settle(await begin(world, earlier));
    const taken = async (): Promise<Picture> => {
      const picture = 'movesPorts' in scene ? withoutAddresses(pictureOf(world)) : pictureOf(world);
      return sample.alsoSeen === undefined ? picture : { ...picture, alsoSeen: blank(await sample.alsoSeen(world)) };
    };
    const before = await taken();
    let jobsBefore = world.hosts.hosts.processes.length;
    const id = await begin(world, scene);
    world.allDie = story.allDie ?? false;
    const from = (): void => {
      world.points = new CrashPoints(at, story.strike);
      // Jobs of the failed attempt may run again.
      jobsBefore = world.hosts.hosts.processes.length;
    };
    await story.play(world, id, from);
    // A refresh reports nothing that has just changed.
    if ('movesPorts' in scene) world.journal.pass(minutes(1));
    // The internal sagas that the operation began.
    await world.settleInternals();
    const { passed, struck } = world.points;
    const repeated = story.strike === 'crash' ? repeatedJobs(world, jobsBefore) : [];
    const pivot = world.journal.steps.get(id)?.find(({ traits }) => traits.pivot === true)?.id;
    return {
      before,
      after: await taken(),
      passed,
      struck,
      pivot,
      faults: [...disagreements(world), ...repeated, ...(nfvo === undefined ? [] : askedTwice(nfvo))],
    };
  } finally {
    await world.close();
    await nfvo?.close();
  }
}
