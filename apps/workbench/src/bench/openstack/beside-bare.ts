import { TerminalError } from '@windlass/foundation';
import type { Surroundings } from '@windlass/windlass';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machine, type Machine } from '../machine.js';
import { deleteInstances, instantiateAll, terminateAll, type WatchedOperations } from '../operations.js';
import { BareClient, specOf, type BareStack, type StackBody } from './bare-client.js';
import {
  aimsOf,
  besideFigures,
  requestsByService,
  spanOf,
  turnsOf,
  type Aim,
  type BesideFigures,
  type BesideRun,
  type Kind,
  type Side,
  type Taken,
} from './beside-figures.js';
import { eventIn, eventsIn } from './heat-log.js';
import { stackOf } from './left-behind.js';
import { engineSpans, momentsOf, partsOf, requestSpan, under, type Moment } from './moments.js';
import type { RecordedRequest } from './recorder.js';
import type { OpenStackBenchOptions } from './openstack-bench.js';
import { onRecordedGround, type RecordedGround } from './recorded-ground.js';

export interface BesideBareOptions extends OpenStackBenchOptions {
  /** How many at once. */
  count: number;
  /** Each instance uploads its own image; otherwise the first uploads it for all (`IMAGE_SHARING`). */
  ownImages: boolean;
}

/** What `bench openstack --beside-bare --json` writes; times are milliseconds. */
export interface BesideReport {
  bench: 'openstack-beside-bare';
  at: string;
  machine: Machine;
  oneProcess: boolean;
  count: number;
  ownImages: boolean;
  /** How long Glance was asked for the image by the first instantiation, which stays and is not measured. */
  firstImage: number;
  figures: Record<Kind, BesideFigures>;
  aims: Aim[];
  runs: BesideRun[];
}

/**
 * The same stacks by a client that has nothing but Heat, and by Windlass: one, and many at once, in turns on one OpenStack.
 */
export async function besideBareBench(where: Surroundings, options: BesideBareOptions): Promise<BesideReport> {
  const { say, signal, oneProcess, count, runs, ownImages } = options;
  say('starting PostgreSQL, NATS and the services');
  const environment = { IMAGE_SHARING: String(!ownImages) };
  return onRecordedGround(where, { ...options, environment }, async (ground) => {
    const { sides, firstImage } = await sidesOn(ground, join(options.openStack.logs, 'heat-engine.log'));
    // Code is compiled, tokens and connections are there, and Heat has seen the template.
    for (const side of turnsOf(1)) await sides[side](2);
    const measuredOn = machine();
    const measured: BesideRun[] = [];
    for (let run = 1; run <= runs; run++) {
      signal.throwIfAborted();
      const one = await inTurns(sides, { run, count, say });
      measured.push(one);
    }
    const figures = besideFigures(measured);
    const at = new Date().toISOString();
    const report = { bench: 'openstack-beside-bare', at, machine: measuredOn, oneProcess, count, ownImages, firstImage } as const;
    return { ...report, figures, aims: aimsOf(figures), runs: measured };
  });
}

/** Makes so many stacks at once, and takes them away at once. */
type Measure = (count: number) => Promise<{ make: Taken; end: Taken }>;

/** One run: one stack by both, then many by both. */
async function inTurns(
  sides: Record<Side, Measure>,
  { run, count, say }: { run: number; count: number; say: (line: string) => void },
): Promise<BesideRun> {
  const turns = turnsOf(run);
  const of = async (many: number): Promise<Record<Side, Awaited<ReturnType<Measure>>>> => {
    const taken: Partial<Record<Side, Awaited<ReturnType<Measure>>>> = {};
    for (const side of turns) {
      const both = await sides[side](many);
      say(`run ${run}, ${many} by ${side}: made in ${inSeconds(both.make.took)}, gone in ${inSeconds(both.end.took)}`);
      taken[side] = both;
    }
    return taken as Record<Side, Awaited<ReturnType<Measure>>>;
  };
  const one = await of(1);
  const many = await of(count);
  const both = (taken: typeof one, what: 'make' | 'end'): Record<Side, Taken> => ({
    bare: taken.bare[what],
    windlass: taken.windlass[what],
  });
  return {
    first: turns[0],
    kinds: {
      makeOne: both(one, 'make'),
      endOne: both(one, 'end'),
      makeMany: both(many, 'make'),
      endMany: both(many, 'end'),
    },
  };
}

const inSeconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`;

/**
 * Both ways to a stack. What Windlass asks for one of its own is what the client asks: of an instance that stays to the end of the bench, since the
 * image that the request names is its.
 */
async function sidesOn(ground: RecordedGround, heatLog: string): Promise<{ sides: Record<Side, Measure>; firstImage: number }> {
  const { recorder, client, signal, stacks } = ground;
  await instantiateAll(ground, await ground.instances(1));
  const asked = recorder.requests.find(({ stackAsked }) => stackAsked !== undefined)?.stackAsked;
  if (asked === undefined) throw new TerminalError('bench.no-stack', 'no request for a stack was seen of an instantiation');
  const spec = specOf(JSON.parse(asked) as StackBody);
  const ofImage = recorder.requests.filter(({ service }) => service === 'image');
  const bare = new BareClient(client.heat, signal, stacks);
  const prefix = `bench-bare-${randomUUID().slice(0, 8)}`;
  let made = 0;
  return {
    firstImage: under(ofImage, 0, Number.POSITIVE_INFINITY),
    sides: {
      bare: async (count) => {
        const names = Array.from({ length: count }, () => `${prefix}-${++made}`);
        const make = await whileRecorded(recorder, () => bare.make(spec, names));
        const end = await whileRecorded(recorder, () => bare.remove(make.result.map(({ ref }) => ref)));
        const log = await readFile(heatLog, 'utf8');
        return { make: takenBare(make, log, 'CREATE COMPLETE'), end: takenBare(end, log, 'DELETE COMPLETE') };
      },
      windlass: async (count) => {
        const ids = await ground.instances(count);
        const make = await whileRecorded(recorder, () => instantiateAll(ground, ids));
        const end = await whileRecorded(recorder, () => terminateAll(ground, ids));
        const log = await readFile(heatLog, 'utf8');
        const names = ids.map(stackOf);
        const taken = {
          make: await takenByWindlass(ground, make, { log, names, status: 'CREATE COMPLETE' }),
          end: await takenByWindlass(ground, end, { log, names, status: 'DELETE COMPLETE' }),
        };
        await deleteInstances(ground, ids);
        ground.forget(ids);
        return taken;
      },
    },
  };
}

interface Recorded<T> {
  result: T;
  requests: RecordedRequest[];
}

async function whileRecorded<T>(recorder: RecordedGround['recorder'], work: () => Promise<T>): Promise<Recorded<T>> {
  recorder.requests.length = 0;
  const result = await work();
  return { result, requests: [...recorder.requests] };
}

type Ended = 'CREATE COMPLETE' | 'DELETE COMPLETE';

/** What Heat's log says of stacks that all came to that end. */
interface HeatSays {
  log: string;
  names: readonly string[];
  status: Ended;
}

/** Everything that happened: requests, Heat's events, and of one alone its steps as the record has them. */
async function takenByWindlass(
  { database }: RecordedGround,
  { result: { operations }, requests }: Recorded<WatchedOperations>,
  heat: HeatSays,
): Promise<Taken> {
  const sentAt = Math.min(...operations.map((one) => one.sentAt));
  const endedAt = Math.max(...operations.map((one) => one.completedAt));
  const took = spanOf(operations.map((one) => ({ sentAt: one.sentAt, endedAt: one.completedAt })));
  const parts = partsOf({ sentAt, endedAt, heatEndedAt: lastEnd(heat), requests });
  const [operation] = operations;
  const alone = operations.length === 1 && operation !== undefined;
  const moments = momentsIn(sentAt, requests, heat, alone ? await engineSpans(database, operation.id) : []);
  return { took, requests: requestsByService(requests), moments, ...(parts === undefined ? {} : { parts }) };
}

/** When the last of them ended by Heat's log; undefined where that does not say it of each. */
function lastEnd({ log, names, status }: HeatSays): number | undefined {
  const ends = names.map((name) => eventIn(log, name, status));
  return ends.includes(undefined) ? undefined : Math.max(...(ends as number[]));
}

function momentsIn(
  sentAt: number,
  requests: readonly RecordedRequest[],
  { log, names, status }: HeatSays,
  others: Parameters<typeof momentsOf>[1] = [],
): Moment[] {
  const [action = ''] = status.split(' ');
  const events = eventsIn(log, names).filter(({ what }) => what.startsWith(action));
  return momentsOf(sentAt, [
    ...requests.map(requestSpan),
    ...events.map(({ at, what }) => ({ from: at, to: at, what: `Heat: ${what}` })),
    ...others,
  ]);
}

/** By Heat's own events, which are finer than looks; by the look of a stack of which Heat's log has none. */
export function takenBare({ result, requests }: Recorded<BareStack[]>, log: string, status: Ended): Taken {
  const ended = ({ ref, seenAt }: BareStack): number => Math.min(seenAt, eventIn(log, ref.name, status) ?? seenAt);
  const names = result.map(({ ref }) => ref.name);
  const firstSent = Math.min(...result.map(({ sentAt }) => sentAt));
  return {
    took: spanOf(result.map((stack) => ({ sentAt: stack.sentAt, endedAt: ended(stack) }))),
    seen: spanOf(result.map(({ sentAt, seenAt }) => ({ sentAt, endedAt: seenAt }))),
    requests: requestsByService(requests),
    moments: momentsIn(firstSent, requests, { log, names, status }),
  };
}
