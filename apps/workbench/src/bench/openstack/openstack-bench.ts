import { millis } from '@windlass/foundation';
import { join } from 'node:path';
import type { Surroundings } from '@windlass/windlass';
import type { RealOpenStack } from '../../openstack/real-openstack.js';
import { medians, rounded } from '../figures.js';
import { machine, type Machine } from '../machine.js';
import { instantiateAll, removeInstances } from '../operations.js';
import { creationOf } from './heat-log.js';
import { stackOf } from './left-behind.js';
import { onRecordedGround, type RecordedGround } from './recorded-ground.js';
import { timelineOf, type Timeline } from './timeline.js';

export interface OpenStackBenchOptions {
  runs: number;
  oneProcess: boolean;
  openStack: RealOpenStack;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** What `bench openstack --json` writes; times are milliseconds. */
export interface OpenStackReport {
  bench: 'openstack';
  at: string;
  machine: Machine;
  oneProcess: boolean;
  /** Each figure's median over the runs, independently. */
  medians: Timeline;
  runs: Timeline[];
}

/** Code is compiled, tokens and connections are there. */
const WARM_UP = 2;

/** How often PostgreSQL is asked whether the operation is completed. */
const LOOK_EVERY = millis(5);

/** Instantiates one VM on a real OpenStack, several times one after the other, and says where the time went. */
export async function openStackBench(where: Surroundings, options: OpenStackBenchOptions): Promise<OpenStackReport> {
  const { say, signal, openStack, oneProcess, runs } = options;
  say('starting PostgreSQL, NATS and the services');
  return onRecordedGround(where, options, async (ground) => {
    const stage = { ...ground, openStack };
    for (let run = 0; run < WARM_UP; run++) await once(stage);
    const measuredOn = machine();
    const timelines: Timeline[] = [];
    for (let run = 1; run <= runs; run++) {
      signal.throwIfAborted();
      const timeline = await once(stage);
      const { postToCompleted, heat, overhead } = timeline;
      say(`run ${run}: ${inSeconds(postToCompleted)}, Heat ${inSeconds(heat)}, the rest ${inSeconds(overhead)}`);
      timelines.push(timeline);
    }
    const at = new Date().toISOString();
    return { bench: 'openstack', at, machine: measuredOn, oneProcess, medians: medians(timelines), runs: timelines };
  });
}

const inSeconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`;

type BenchStage = RecordedGround & { openStack: RealOpenStack };

/** Instantiates one VNF, and takes it away again. */
async function once(stage: BenchStage): Promise<Timeline> {
  const { recorder, openStack } = stage;
  const ids = await stage.instances(1);
  recorder.requests.length = 0;
  const { operations } = await instantiateAll(stage, ids, 0, LOOK_EVERY);
  const requests = [...recorder.requests];
  await removeInstances(stage, ids);
  stage.forget(ids);
  const [operation] = operations;
  const [id] = ids;
  const heat = await creationOf(join(openStack.logs, 'heat-engine.log'), stackOf(id ?? ''));
  return roundedFigures(timelineOf({ ...operation, heat, requests } as Parameters<typeof timelineOf>[0]));
}

function roundedFigures(timeline: Timeline): Timeline {
  const round = (value: unknown): unknown =>
    typeof value === 'number'
      ? rounded(value)
      : Object.fromEntries(Object.entries(value as Record<string, unknown>).map(([key, one]) => [key, round(one)]));
  return round(timeline) as Timeline;
}
