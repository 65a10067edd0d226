import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@windlass/embedded/testing';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { ApiClient, Deployment, startTimeOf, writeRuntime } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home } from '../support/deployed.js';
import { sampleDriver } from './support/exec-system.js';

const NAME = 'mgmt-drivers-shell';
const sample = sampleDriver('shell', NAME);
const folder = testFolder();
let deployment: Deployment;
let api: ApiClient;

/** `windlass driver exec`, and what it has said. */
function exec(path: string): { child: ChildProcess; said: () => string; ended: Promise<number | null> } {
  const program = join(home, 'apps/windlass/dist/main.js');
  const env = { PATH: process.env.PATH, HOME: folder.path };
  const child = spawn(process.execPath, [program, 'driver', 'exec', path, '--data', folder.path], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, said: () => text, ended: new Promise((resolve) => child.once('close', resolve)) };
}

beforeAll(async () => {
  mkdirSync(join(folder.path, 'secrets'), { mode: 0o700 });
  deployment = await Deployment.start({ home, dataDir: folder.path, port: 0, durable: false, say: () => undefined });
  const { url, secrets, servers } = deployment;
  const own = { pid: process.pid, startedAt: startTimeOf(process.pid) ?? '' };
  await writeRuntime({ ...own, url, natsUrl: servers.natsUrl, tokenFile: secrets.tokenFile, dataDir: folder.path });
  api = new ApiClient(url, secrets.token);
});
afterAll(async () => {
  await deployment.stop();
  folder.remove();
  sample.remove();
});

describe('"windlass driver exec" beside a Windlass that runs', () => {
  it('is given a NATS user and an enrolment by itself, is announced, and ends when it is told to', async () => {
    const natsBefore = deployment.servers.nats?.pid;
    const { child, said, ended } = exec(sample.path);
    const kept = await waitUntil(
      async (seen) => {
        seen(said());
        if (child.exitCode !== null) throw new Error(`it ended: ${said()}`);
        return (await api.list('/windlass/v1/drivers')).find(({ name }) => name === NAME);
      },
      { for: 'the driver to be kept', within: seconds(60), every: millis(200) },
    );
    expect(kept).toMatchObject({ service: `${NAME}-mgmt`, version: '1.0.0', hooks: ['instantiate_end'] });
    child.kill('SIGTERM');
    expect(await ended, said()).toBe(0);
    expect(natsBefore).toBeTypeOf('number');
    expect(deployment.servers.nats?.pid, 'NATS was not started again').toBe(natsBefore);
  });

  it('says what is wrong with an executable, and takes the name of none of our services', async () => {
    const missing = exec(join(folder.path, 'nothing'));
    expect(await missing.ended).toBe(1);
    expect(missing.said()).toMatch(/nothing can't be started: expected a file that may be executed/);
    const taken = sampleDriver('shell', 'k8s');
    const { ended, said } = exec(taken.path);
    expect(await ended).toBe(1);
    expect(said()).toMatch(/the name k8s-mgmt is the service k8s-mgmt already/);
    taken.remove();
  });
});
