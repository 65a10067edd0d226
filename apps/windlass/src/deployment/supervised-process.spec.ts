import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { expect, it, onTestFinished } from 'vitest';
import { SupervisedProcess, type ProcessSpec } from './supervised-process.js';

/** Says that it has started and is ready. Where the file `end` exists, it says why it fails and ends with the status in that file. */
const PROGRAM = `
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
process.on('disconnect', () => process.exit());
if (process.env.DEAF) process.on('SIGTERM', () => undefined);
if (existsSync('FOLDER/end')) {
  process.send({ windlass: 'failed', code: 'test.failed', reason: 'NATS_URL is no URL' });
  process.exit(Number(readFileSync('FOLDER/end', 'utf8')));
}
const stands = () => { while (existsSync('FOLDER/stand-still')); };
const server = createServer((_, response) => { response.end(); stands(); }).listen(0, '127.0.0.1', () => {
  console.log('here', ...process.execArgv);
  process.send({ windlass: 'started', service: 'one', healthUrl: 'http://127.0.0.1:' + server.address().port });
});
`;

class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'windlass-supervised-'));
  readonly said: string[] = [];

  constructor() {
    writeFileSync(join(this.folder, 'program.mjs'), PROGRAM.replaceAll('FOLDER', this.folder));
    onTestFinished(() => rmSync(this.folder, { recursive: true }));
  }

  start(name: string, more: Partial<ProcessSpec> = {}): SupervisedProcess {
    const supervised = new SupervisedProcess({
      name,
      services: ['one'],
      program: join(this.folder, 'program.mjs'),
      nodeArguments: [],
      environment: {},
      logFile: join(this.folder, `${name}.log`),
      say: (line) => void this.said.push(line),
      ...more,
    });
    onTestFinished(() => supervised.stop(millis(500)));
    return supervised;
  }

  async ready(name: string, more: Partial<ProcessSpec> = {}): Promise<SupervisedProcess> {
    const supervised = this.start(name, more);
    await supervised.started(seconds(40));
    await supervised.ready(seconds(40));
    return supervised;
  }

  endWith(status: number): void {
    writeFileSync(join(this.folder, 'end'), String(status));
  }
}

const until = (what: string, isSo: () => boolean) =>
  waitUntil(() => Promise.resolve(isSo() ? true : undefined), { for: what, within: seconds(40), every: millis(10) });

it('a killed service is started again with the same words for Node.js and appends to its log; its neighbour runs on and is told nothing', async () => {
  const stage = new Stage();
  const [victim, neighbour] = [
    await stage.ready('victim', { nodeArguments: ['--max-semi-space-size=2'] }),
    await stage.ready('neighbour'),
  ];
  const [pid, other] = [victim.pid!, neighbour.pid];
  process.kill(pid, 'SIGKILL');
  await until('its end', () => victim.healthUrls.size === 0);
  await victim.ready(seconds(40));
  expect(victim.pid).not.toBe(pid);
  expect([neighbour.pid, neighbour.healthUrls.size]).toEqual([other, 1]);
  expect(stage.said).toEqual(['victim ended (SIGKILL); starting it again']);
  expect(readFileSync(join(stage.folder, 'victim.log'), 'utf8')).toBe('here --max-semi-space-size=2\n'.repeat(2));
  expect(readFileSync(join(stage.folder, 'neighbour.log'), 'utf8')).toBe('here\n');
});

it('a service that can’t be started now is tried again, each time with the reason', async () => {
  const stage = new Stage();
  const node = process.execPath;
  process.execPath = join(stage.folder, 'node');
  onTestFinished(() => void (process.execPath = node));
  const supervised = stage.start('service');
  await until('two failed starts', () => stage.said.length >= 2);
  process.execPath = node;
  await supervised.ready(seconds(40));
  expect(new Set(stage.said)).toEqual(new Set([`service can't be started: spawn ${join(stage.folder, 'node')} ENOENT`]));
});

it('a wrong configuration is told to who waits for the start, and is not tried again', async () => {
  const stage = new Stage();
  stage.endWith(78);
  const refused = { code: 'deployment.service-failed', message: expect.stringContaining('NATS_URL is no URL') as string };
  await expect(stage.start('service').started(seconds(40))).rejects.toMatchObject(refused);
  expect(stage.said).toEqual([]);
});

it('a service that ran, ended and is not started again does not vanish in silence', async () => {
  const stage = new Stage();
  const supervised = await stage.ready('service');
  stage.endWith(78);
  process.kill(supervised.pid!, 'SIGKILL');
  await until('the second end', () => stage.said.length === 2);
  expect(stage.said).toEqual([
    'service ended (SIGKILL); starting it again',
    'service ended (status 78: NATS_URL is no URL); it is not started again',
  ]);
});

it('a service that does not heed SIGTERM is killed when its time is over', async () => {
  const stage = new Stage();
  const supervised = await stage.ready('service', { environment: { DEAF: '1' } });
  const begun = performance.now();
  await supervised.stop(millis(300));
  expect(performance.now() - begun).toBeGreaterThan(295);
  expect(existsSync(`/proc/${supervised.pid ?? ''}/exe`)).toBe(false);
  expect(stage.said).toEqual([]);
});

it('a service that stands still, and neither ends nor answers, is ended and started again', async () => {
  const stage = new Stage();
  const patience = { every: millis(50), within: seconds(1), misses: 2 };
  const supervised = await stage.ready('service', { patience, environment: { DEAF: '1' } });
  const pid = supervised.pid!;
  writeFileSync(join(stage.folder, 'stand-still'), '');
  await until('its end', () => stage.said.length === 2);
  rmSync(join(stage.folder, 'stand-still'));
  await until('another process', () => supervised.pid !== pid);
  await supervised.ready(seconds(40));
  expect(stage.said).toEqual([
    'service does not do its work (one did not answer its health check within 1.0 s); ending it',
    'service ended (SIGKILL); starting it again',
  ]);
});
