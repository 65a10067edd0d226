import { hours, minutes, RequestError, seconds } from '@windlass/foundation';
import { startStandInNfvo, type StandInNfvo } from '../../support/standin-nfvo.js';
import { blank } from './blank.js';
import { CrashPoints, type Strike } from './crash-points.js';
import { disagreements, pictureOf, repeatedJobs, withoutAddresses, type Picture } from './picture.js';
import type { Sample } from './samples.js';
import { begin, sceneTitled, type Scene } from './scenes.js';
import { World } from './world.js';

/** What is played, over and over, with a strike at each of the points that lie on its way. */
export interface Story {
  /** Such as `carried on after a crash`. */
  title: string;
  strike: Strike;
  /** Whether the workers and the wake-ups go with the coordinator. */
  allDie?: boolean;
  /** Plays it; the points are counted from where `from` is called. */
  play(world: World, id: string, from: () => void): Promise<void>;
  /** Whether there is something to strike at such a point. */
  strikesAt?(point: string): boolean;
}

const isCommit = (point: string): boolean => /^(before|after)-commit /.test(point);

/** It is struck, and goes on by itself. */
export const crash: Story = {
  title: 'goes on by itself after a crash',
  strike: 'crash',
  play: async (world, id, from) => {
    from();
    await world.settle(id);
  },
};

/** All processes die at once, and the wake-ups are forgotten. */
export const crashOfAll: Story = {
  ...crash,
  title: 'goes on by itself after a crash of everything',
  allDie: true,
  strikesAt: isCommit,
};

/** It is struck, then a person cancels it with force and takes it back, or, past the pivot, retries it. */
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

/** A step fails for good there; a person retries. */
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

/** It has failed at its last step, and the crash comes while it is retried. */
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

/** It has failed before its pivot, and the crash comes while it is taken back. */
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

/** How one playing ended. */
export interface Ending {
  /** Before the operation was asked for. */
  before: Picture;
  after: Picture;
  passed: readonly string[];
  struck: string | undefined;
  /** The step past which nothing is taken back. */
  pivot: string | undefined;
  /** What is wrong whatever the story is. */
  faults: string[];
}

/** How the simulation's coordinator asks for grants. */
const WAITING = { publicUrl: 'http://vnfm.example', grantWithin: hours(1), askAgainEvery: seconds(1) };

/** An NFVO may be asked again after a death, for the same. */
const askedTwice = ({ asked }: StandInNfvo): string[] => {
  const different = new Set(asked.map((request) => JSON.stringify(request))).size;
  return different === 1 ? [] : [`the NFVO was asked for ${different} different grants; expected one`];
};

/** Sets the scene, plays the story with a strike at one point, and looks at what has become of the world. */
export async function play(sample: Sample, scene: Scene, story: Story, at: number | undefined): Promise<Ending> {
  const nfvo = 'granted' in scene ? await startStandInNfvo() : undefined;
  // It answers 202, and has decided when it is looked at.
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
      // What an attempt that has failed ran may run again.
      jobsBefore = world.hosts.hosts.processes.length;
    };
    await story.play(world, id, from);
    // A refresh says nothing of what has changed in the same moment.
    if ('movesPorts' in scene) world.journal.pass(minutes(1));
    // Those that it began.
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
