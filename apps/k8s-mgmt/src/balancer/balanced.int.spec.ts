import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { testCertificates } from '@windlass/embedded/testing';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeApiServer } from '../testing/api-server.js';
import { ANSWERS_AT, haproxyConfiguration } from './haproxy.js';
import { LOAD_BALANCER_ANSWERS } from './scripts.js';

/** Addresses of this machine that nobody else uses: every test run has a /24 of 127.0.0.0/8. */
const SUBNET = `127.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}`;
const NAMES = ['master24', 'master25', 'master26'];
const address = (name: string): string => `${SUBNET}.${name.slice(-2)}`;
const backends = (names: readonly string[]) => names.map((name) => ({ name, address: address(name) }));

/** A real HAProxy with the configuration that nodes have, but for its port's address, its user, where its sockets lie, and how often it asks. */
describe('the load balancer', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-haproxy-'));
  const conf = path.join(folder, 'haproxy.cfg');
  const answers = path.join(folder, 'answers');
  let certificate: { key: string; cert: string };
  let masters: FakeApiServer[];
  let haproxy: ChildProcess;

  beforeAll(() => {
    const made = testCertificates(path.join(folder, 'certificates'), 'kubernetes');
    certificate = { key: made.read('server.key'), cert: made.read('server.pem') };
    writeFileSync(answers, LOAD_BALANCER_ANSWERS.replaceAll(ANSWERS_AT, path.join(folder, 'answers.sock')));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeEach(async () => {
    masters = NAMES.map((name) => new FakeApiServer(name, certificate));
    await Promise.all(masters.map((master) => master.listen(address(master.name), 6_443)));
    const digest = configure(NAMES);
    haproxy = spawn('haproxy', ['-W', '-f', conf], { stdio: ['ignore', 'ignore', 'inherit'] });
    await runsWith(digest);
  });
  afterEach(async () => {
    const ended = new Promise((resolve) => haproxy.once('exit', resolve));
    haproxy.kill('SIGTERM');
    await ended;
    await Promise.all(masters.map((master) => master.end()));
  });

  /** Writes the configuration, and returns its digest. */
  function configure(names: readonly string[]): string {
    const { text, digest } = haproxyConfiguration({ backends: backends(names) });
    const here = text
      .replaceAll(/^ +(chroot|user|group) .*\n/gm, '')
      .replace(' user root', '')
      .replace('inter 2s', 'inter 200ms')
      .replace('*:16443', `${SUBNET}.99:16443`)
      .replaceAll('/run/haproxy/admin.sock', path.join(folder, 'admin.sock'))
      .replaceAll(ANSWERS_AT, path.join(folder, 'answers.sock'));
    writeFileSync(conf, here);
    return digest;
  }

  const perl = (...args: string[]): Promise<string | undefined> =>
    new Promise((resolve) => execFile('perl', args, (error, stdout) => resolve(error === null ? stdout : undefined)));
  /** The digest of the configuration that HAProxy runs with; undefined where it does not answer. */
  const asks = async () => (await perl(answers))?.trim();
  const runsWith = (digest: string): Promise<true> =>
    waitUntil(async () => ((await asks()) === digest ? true : undefined), {
      for: 'HAProxy to run with its configuration',
      within: seconds(20),
      every: millis(50),
    });

  /** Who answers a connection of its own; what fails is told. */
  const who = (agent: https.Agent | false = false): Promise<string> =>
    new Promise((resolve) => {
      const request = https.get(
        { host: `${SUBNET}.99`, port: 16_443, path: '/who', rejectUnauthorized: false, agent },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => resolve(text));
        },
      );
      request.on('error', (error) => resolve(error.message));
    });
  const several = async (): Promise<string[]> => [...new Set(await Promise.all(Array.from({ length: 12 }, () => who())))].sort();
  /** Until exactly those answer twelve connections. */
  const reached = (...names: string[]): Promise<true> =>
    waitUntil(
      async (seen) => {
        const found = await several();
        seen(found.join(', '));
        return found.join(' ') === names.join(' ') ? true : undefined;
      },
      { for: `connections to reach ${names.join(', ')} alone`, within: seconds(20), every: millis(100) },
    );

  /** Until so many are marked as ready. */
  const areUp = (count: number): Promise<true> =>
    waitUntil(
      async (seen) => {
        const up = await perl('-MIO::Socket::UNIX', '-e', ADMIN, path.join(folder, 'admin.sock'));
        seen(String(up));
        return up === String(count) ? true : undefined;
      },
      { for: `${count} to be marked as ready`, within: seconds(20), every: millis(100) },
    );

  /** As often as it takes to be given up. */
  const isAsked = (master: FakeApiServer): Promise<true> => {
    const enough = master.answered + 4;
    return waitUntil(() => Promise.resolve(master.answered >= enough ? true : undefined), {
      for: `${master.name} to have been asked`,
      within: seconds(20),
      every: millis(100),
    });
  };

  it('passes on to masters that are ready, or that tell no stranger whether they are, and to others no more', async () => {
    masters[1]!.ready = 401;
    masters[2]!.ready = 500;
    await isAsked(masters[1]!);
    await reached('master24', 'master25');
    masters[2]!.ready = 200;
    await reached(...NAMES);
  });

  it('leaves a master alone that has just begun and refuses everybody until it knows its roles', async () => {
    const [, beginning] = masters as [FakeApiServer, FakeApiServer];
    await beginning.end();
    await areUp(2);
    beginning.first = [403, 403];
    beginning.ready = 500;
    const come = { on: true };
    const answered = new Set<string>();
    const coming = (async () => {
      while (come.on) answered.add(await who());
    })();
    await beginning.listen(address(beginning.name), 6_443);
    await isAsked(beginning);
    come.on = false;
    await coming;
    expect([...answered].sort()).toEqual(['master24', 'master26']);
    beginning.ready = 200;
    await reached(...NAMES);
  });

  it('keeps a master that is slow to answer, and gives up one that is gone at no cost for whoever connects', async () => {
    masters[1]!.slow = millis(1_200);
    await masters[0]!.end();
    expect((await several()).filter((name) => !NAMES.includes(name))).toEqual([]);
    await isAsked(masters[1]!);
    await reached('master25', 'master26');
  });

  it('passes on to any where none says that it is ready: a cluster that is slow is not one that is gone', async () => {
    for (const master of masters) master.ready = 500;
    await areUp(0);
    expect(await several()).toEqual(NAMES);
  });

  it('reads other back ends while connections come and stay: none fails, and the old ones go on', async () => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    const kept = await who(agent);
    const others = NAMES.filter((name) => name !== kept);
    const come = { on: true };
    const answered: string[] = [];
    const coming = (async () => {
      while (come.on) answered.push(await who());
    })();
    const digest = configure(others);
    haproxy.kill('SIGUSR2');
    await runsWith(digest);
    expect(await several()).toEqual(others);
    await waitUntil(() => Promise.resolve(answered.length > 20 ? true : undefined), {
      for: 'more connections',
      within: seconds(20),
      every: millis(20),
    });
    come.on = false;
    await coming;
    expect(answered.filter((name) => !NAMES.includes(name))).toEqual([]);
    expect(await who(agent), 'by the connection of before').toBe(kept);
    agent.destroy();
  });

  it('does not answer keepalived when it hangs, though the kernel goes on taking connections for it', async () => {
    const pid = String(haproxy.pid);
    const children = await promisify(execFile)('pgrep', ['-P', pid]);
    process.kill(Number(children.stdout), 'SIGSTOP');
    try {
      expect(await asks()).toBeUndefined();
    } finally {
      process.kill(Number(children.stdout), 'SIGCONT');
    }
    expect(await asks()).toBeDefined();
  });
});

/** Prints how many of the masters are up to HAProxy, by its socket for root. */
const ADMIN = String.raw`
my $haproxy = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die;
print $haproxy "show stat -1 4 -1\n";
print scalar grep { /^ready-masters,/ && (split /,/)[17] =~ /^UP/ } <$haproxy>;
`;
