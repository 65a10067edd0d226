import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { minutes, seconds, TransientError, waitUntil, type JsonObject } from '@windlass/foundation';
import type { StepView } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCluster, startDeployed, type Deployed } from '../support/deployed.js';
import { testSeed } from '../support/seed.js';
import { folderOf, readHostJobs } from './lab/host-jobs.js';
import { doubledJobs, pictureOfLab, vnfcsOf, type LabPicture } from './lab/lab-picture.js';
import { describePoint, kindOf, samplePoints, type PlannedStep, type Point } from './lab/points.js';
import { CrashInjector } from './lab/crash-injector.js';
import { differences } from './support/differences.js';

/** Ten in all: what an instantiation does is far more than what a termination does. */
const POINTS = { INSTANTIATE: 6, TERMINATE: 4 } as const;
const SEED = Number(process.env.CRASH_SEED ?? testSeed());
const COMMAND = `CRASH_SEED=${SEED} npx vitest run --project e2e tests/crash-points/in-the-lab`;

type Operation = keyof typeof POINTS;

/** An operation that ended: what there is then, and the steps by which points are chosen. */
interface Ending {
  picture: LabPicture;
  planned: PlannedStep[];
}

let deployed: Deployed;
let crashInjector: CrashInjector;
let database: pg.Client;

beforeAll(async () => {
  // Steps that run beside a struck one are lost with their worker as often as it dies: that is no poison.
  // A picture is taken as an operation ends, and a shared image goes a moment later.
  deployed = await startDeployed({ ENGINE_LEASE: '3s', ENGINE_MAX_LOSSES: '50', IMAGE_SHARING: 'false' });
  crashInjector = await CrashInjector.on(deployed);
  database = new pg.Client({ connectionString: deployed.postgres.url });
  await database.connect();
});

afterAll(async () => {
  await database.end();
  await crashInjector.close();
  await deployed.close();
});

/** Of the operation before, a service may still start anew that is asked before this one is accepted: a 503 says to send the request again. */
async function acceptedAtLast(task: string, body: unknown): Promise<string> {
  return waitUntil(
    async (seen) => {
      try {
        return await deployed.api.accept(task, body);
      } catch (error) {
        if (!(error instanceof TransientError && error.code === 'api.failed')) throw error;
        seen(error.message);
        return undefined;
      }
    },
    { for: 'the request to be accepted', within: minutes(1), every: seconds(2) },
  );
}

/** Runs an operation to its end, with deaths at the points. */
async function run(path: string, operation: Operation, body: unknown, points: readonly Point[]): Promise<Ending> {
  const task = `${path}/${operation.toLowerCase()}`;
  const { api } = deployed;
  const opOccPath = await crashInjector.during(points, async () => {
    const accepted = await acceptedAtLast(task, body);
    await api.follow(accepted, minutes(3), () => undefined);
    return accepted;
  });
  const id = opOccPath.split('/').at(-1) ?? '';
  const steps = await api.get<StepView[]>(`/windlass/v1/operations/${id}/steps`);
  expect(await doubledJobs(deployed, steps), 'jobs on the machines').toEqual([]);
  const opOcc = await api.get(opOccPath);
  expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'COMPLETED' });
  const instance = await api.get(path);
  return {
    picture: await pictureOfLab(deployed, { path, opOcc, steps }),
    planned: await plannedSteps(id, instance),
  };
}

/** What workers did: inline steps happen at commits of the steps around them. */
async function plannedSteps(operationId: string, instance: JsonObject): Promise<PlannedStep[]> {
  const { rows } = await database.query<{ id: string; service: string }>(
    'SELECT id, service FROM lcm.step WHERE operation_id = $1 AND result_epoch IS NOT NULL ORDER BY seq',
    [operationId],
  );
  const withJob = new Set<string>();
  for (const { computeResource } of vnfcsOf(instance))
    for (const { step } of (await readHostJobs(deployed.lab.fleet, computeResource.resourceId)).jobs) withJob.add(step);
  return rows.map(({ id, service }) => ({ kind: kindOf(id), service, hasJob: withJob.has(folderOf(id)) }));
}

async function unfinished(): Promise<string[]> {
  const { rows } = await database.query<{ told: string }>(
    `SELECT concat_ws(' ', id, phase, state, 'epoch', epoch, 'attempt', attempt, owner, progress, error) AS told
       FROM lcm.step WHERE state NOT IN ('done', 'expanded') ORDER BY operation_id, seq`,
  );
  return rows.map(({ told }) => told);
}

/** The last that the services said of errors. */
async function loggedErrors(): Promise<string[]> {
  const folder = join(deployed.dataDir, 'logs');
  const logs = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')));
  const lines = logs.flatMap((text) => text.split('\n').filter((line) => line.includes('"level":"error"')));
  return lines.slice(-20).map((line) => line.slice(0, 500));
}

describe('a Kubernetes cluster on real machines, with ten deaths at points that a seed chose', () => {
  it(`comes, and goes, as it does without any (seed ${SEED})`, async () => {
    const before = JSON.stringify(deployed.lab.emulator.inventory());
    const termination = { terminationType: 'FORCEFUL' };
    const reference = await newCluster(deployed);
    const made = await run(reference.path, 'INSTANTIATE', reference.request, []);
    const unmade = await run(reference.path, 'TERMINATE', termination, []);
    await deployed.api.delete(reference.path);

    const points = {
      INSTANTIATE: samplePoints(SEED, 'INSTANTIATE', made.planned, POINTS.INSTANTIATE),
      TERMINATE: samplePoints(SEED, 'TERMINATE', unmade.planned, POINTS.TERMINATE),
    };
    const told = Object.entries(points).flatMap(([operation, all]) =>
      all.map((point) => `  ${operation} ${describePoint(point)}`),
    );
    expect(told).toHaveLength(10);
    const story = [`seed ${SEED}; again: ${COMMAND}`, ...told].join('\n');
    console.info(story);
    try {
      const { path, request } = await newCluster(deployed);
      const struck = await run(path, 'INSTANTIATE', request, points.INSTANTIATE);
      expect(differences(struck.picture, made.picture), 'after the instantiation').toEqual([]);
      const gone = await run(path, 'TERMINATE', termination, points.TERMINATE);
      expect(differences(gone.picture, unmade.picture), 'after the termination').toEqual([]);
      await deployed.api.delete(path);
      expect(JSON.stringify(deployed.lab.emulator.inventory())).toBe(before);
    } catch (error) {
      const seen = [
        'struck:',
        ...crashInjector.told,
        'steps that are not done:',
        ...(await unfinished()),
        'errors:',
        ...(await loggedErrors()),
      ].join('\n  ');
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${story}\n${seen}`, { cause: error });
    }
  }, 600_000);
});
