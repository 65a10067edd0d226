import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes, seconds, traceIdOf, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Load, PARAMS, WITH_HOOKS } from '../support/load.js';
import { rigFolder } from '../support/rig-folder.js';
import { Fleet } from '../versions/support/fleet.js';
import { thisRelease } from '../versions/support/older-release.js';
import { freePorts, RunningProgram } from './support/telemetry-programs.js';
import { collectorConfig, collectorProgram, jaegerConfig, jaegerProgram } from './support/tracing-programs.js';

/** As Jaeger's query answers at `/api/traces/<id>`. */
interface JaegerTrace {
  spans: {
    spanID: string;
    operationName: string;
    processID: string;
    references: { refType: string; traceID: string; spanID: string }[];
  }[];
  processes: Record<string, { serviceName: string }>;
}

/** A span, with the name of its parent in the trace; undefined where it has none, `?` where the parent is not there. */
interface Told {
  service: string;
  name: string;
  below: string | undefined;
}

let fleet: Fleet;
let folder: string;
let jaeger: string;
let load: Load;
const ends: (() => Promise<unknown>)[] = [];

async function started(program: string, config: object, answersAt: string): Promise<void> {
  const file = join(folder, `${program.split('/').at(-1) ?? ''}.yaml`);
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config));
  const running = await RunningProgram.start(program, ['--config', file], answersAt);
  ends.push(() => running.stop());
}

beforeAll(async () => {
  folder = await rigFolder('windlass-collector-');
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const [otlp = 0, query = 0, queryByGrpc = 0, taken = 0] = await freePorts(4);
  const ports = { otlp, query, queryByGrpc };
  jaeger = `http://127.0.0.1:${query}`;
  await started(await jaegerProgram(), jaegerConfig(ports), `${jaeger}/api/services`);
  const collector = `http://127.0.0.1:${taken}`;
  await started(await collectorProgram(), collectorConfig(taken, ports), collector);
  fleet = await Fleet.start(thisRelease(), { STACK_ABSENT_FOR: '1s', OTEL_EXPORTER_OTLP_ENDPOINT: collector });
  ends.push(() => fleet.close());
}, minutes(120));

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function trace(id: string): Promise<Told[]> {
  const answer = await fetch(`${jaeger}/api/traces/${id}`);
  if (answer.status === 404) return [];
  const { data: [found] = [] } = (await answer.json()) as { data?: JaegerTrace[] };
  if (found === undefined) return [];
  const names = new Map(found.spans.map(({ spanID, operationName }) => [spanID, operationName]));
  return found.spans.map(({ operationName, processID, references }) => {
    const parent = references.find(({ refType, traceID }) => refType === 'CHILD_OF' && traceID === id);
    const below = parent === undefined ? undefined : (names.get(parent.spanID) ?? '?');
    return { service: found.processes[processID]?.serviceName ?? '', name: operationName, below };
  });
}

/** Services send when each finds time. */
const whole = (id: string, ...names: readonly string[]): Promise<Told[]> =>
  waitUntil(
    async (seen) => {
      const spans = await trace(id);
      seen(spans.map(({ name, below }) => `${name} < ${below ?? ''}`).join(', '));
      const ended = names.every((name) => spans.some((span) => span.name === name));
      return ended && spans.every(({ below }) => below !== '?') ? spans : undefined;
    },
    { for: `the trace ${id} of ${names.join(' and ')} in Jaeger`, within: minutes(2), every: seconds(1) },
  );

describe('traces, by a collector of OpenTelemetry, in a Jaeger', () => {
  it(
    'have an operation under its id, from the request to what the VIM and the machine were asked, and log lines of the same id',
    async () => {
      load = new Load(fleet, await fleet.onboard(), 1, WITH_HOOKS);
      await load.ended();
      load.goesOn();
      const operation = load.operations.find(({ kind }) => kind === 'instantiate');
      const id = traceIdOf(operation?.path.split('/').at(-1) ?? '');
      const spans = await whole(id, 'INSTANTIATE', 'job');
      const has = (told: Partial<Told>): void => expect(spans).toContainEqual(expect.objectContaining(told));
      const request = 'POST /vnflcm/v1/vnf_instances/:id/instantiate';
      has({ service: 'lcm-api', name: request, below: undefined });
      has({ service: 'saga-coordinator', name: 'INSTANTIATE', below: request });
      has({ service: 'infra-driver', name: 'create-stack', below: 'INSTANTIATE' });
      has({ service: 'infra-driver', name: 'POST orchestration', below: 'create-stack' });
      const job = spans.find(({ name }) => name === 'job');
      expect(spans.find(({ name }) => name === job?.below)).toMatchObject({ service: job?.service, below: 'INSTANTIATE' });
      expect(spans.filter(({ below }) => below === 'job').map(({ service }) => service)).toContain(job?.service);
      expect(spans.filter(({ below }) => below === undefined).map(({ name }) => name)).toEqual([request]);
      const logs = join(fleet.folder, 'data/logs');
      const lines = await Promise.all(
        (await readdir(logs)).map(async (file) => [file, await readFile(join(logs, file), 'utf8')]),
      );
      const telling = lines.flatMap(([file = '', text = '']) =>
        text.includes(`"traceId":"${id}"`) ? [file.replace(/-newer.*/, '')] : [],
      );
      expect(telling.sort()).toEqual(['chaos-mgmt', 'infra-driver', 'saga-coordinator']);
      expect(await (await fetch(`${jaeger}/api/traces/${id}`)).text()).not.toContain(PARAMS.additionalParams.chaos.password);
    },
    minutes(10),
  );

  it('have every operation of an instance’s life, each a trace of its own', async () => {
    const services = (await (await fetch(`${jaeger}/api/services`)).json()) as { data: string[] };
    expect(services.data).toEqual(expect.arrayContaining(['chaos-mgmt', 'infra-driver', 'lcm-api', 'saga-coordinator']));
    expect(load.operations.map(({ kind }) => kind)).toEqual(['instantiate', 'scale', 'terminate']);
    for (const { kind, path } of load.operations) {
      const spans = await whole(traceIdOf(path.split('/').at(-1) ?? ''), kind.toUpperCase());
      expect(spans.filter(({ name }) => /^[A-Z_]+$/.test(name)).map(({ name }) => name)).toEqual([kind.toUpperCase()]);
    }
  });
});
