import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { INSTANCE, ScriptBench } from '@windlass/driver-kit/testing';
import { testCertificates } from '@windlass/embedded/testing';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closed, exposed } from '../node-ports/frontends.js';
import { FakeApiServer } from '../testing/api-server.js';
import { OTHER_VNF } from '../testing/node-ports.js';
import type { Route } from './external-lb-input.js';
import { installed, opened, routed } from './haproxy.js';
import { SET_EXTERNAL_LB } from './scripts.js';

/** Addresses of this machine that nobody else uses: every test run has a /24 of 127.0.0.0/8. */
const SUBNET = `127.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}`;
const node = (role: string, last: number): Route => ({ name: `${role}${last}`, address: `${SUBNET}.${last}` });
const MASTER = node('master', 24);
const WORKERS = [31, 32, 33].map((last) => node('worker', last));
const LB = `${SUBNET}.9`;
const SERVICE = 30_080;

/**
 * The script that changes a balancer, and a real HAProxy that it tells: the file is the product's but for addresses, user and folders. systemd's
 * part is a program that does what Debian's unit says.
 */
describe('an external load balancer', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-lb-certificates-'));
  let api: FakeApiServer;
  let nodes: { server: http.Server; kubelet: net.Server }[];
  let machine: ScriptBench;

  beforeAll(async () => {
    const { read } = testCertificates(folder, 'kubernetes');
    api = new FakeApiServer(MASTER.name, { key: read('server.key'), cert: read('server.pem') });
    await api.listen(MASTER.address, 6_443);
    nodes = await Promise.all([MASTER, ...WORKERS].map(serves));
  });
  afterAll(async () => {
    await api.end();
    for (const { server, kubelet } of nodes) {
      server.closeAllConnections();
      server.close();
      kubelet.close();
    }
    rmSync(folder, { recursive: true });
  });

  beforeEach(() => {
    machine = new ScriptBench()
      .program('haproxy', 'exec /usr/sbin/haproxy "$@"')
      .program('flock', 'exec /usr/bin/flock "$@"')
      .program('sleep', '/bin/sleep 0.1')
      .program('journalctl', 'echo "the words of $*"')
      .program(
        'systemctl',
        `case "$1" in
          show) cat /run/haproxy.pid ;;
          is-active) [ -e /run/haproxy.pid ] ;;
          start) haproxy -W -D -p /run/haproxy.pid -f /etc/haproxy/haproxy.cfg ;;
          reload) haproxy -c -q -f /etc/haproxy/haproxy.cfg && kill -USR2 "$(cat /run/haproxy.pid)" ;;
        esac`,
      )
      .file('etc/haproxy/.keep', '');
  });
  afterEach(async () => {
    if (machine.has('run/haproxy.pid')) {
      const pid = Number(machine.read('run/haproxy.pid'));
      process.kill(pid, 'SIGTERM');
      await waitUntil(() => Promise.resolve(isGone(pid) ? true : undefined), {
        for: 'HAProxy to end',
        within: seconds(20),
        every: millis(20),
      });
    }
    machine.remove();
  });

  const isGone = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };

  /** A node: the Service's port on it, and the kubelet's, by which the balancer knows that it lives. */
  async function serves({ name, address }: Route) {
    const server = http.createServer((_request, response) => response.end(name)).listen(SERVICE, address);
    const kubelet = net.createServer((socket) => socket.destroy()).listen(10_250, address);
    await Promise.all([once(server, 'listening'), once(kubelet, 'listening')]);
    return { server, kubelet };
  }

  const here = (text: string): string =>
    text
      .replaceAll(/^ +(chroot|user|group|log) .*\n/gm, '')
      .replaceAll('bind *:', `bind ${LB}:`)
      .replaceAll('/run/haproxy/admin.sock', machine.at('run/admin.sock'))
      .replaceAll('inter 2s', 'inter 200ms');
  const START = (): string =>
    opened(here(installed(undefined, { masters: [MASTER], workers: WORKERS.slice(0, 2) })), []).concat(
      here(`\nfrontend default_web\n    bind *:${SERVICE}\n    default_backend kubernetes-nodeport\n`),
    );
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  const file = (): string => machine.read('etc/haproxy/haproxy.cfg');
  const set = (text: string, was = digest(file())) => machine.run(SET_EXTERNAL_LB, [machine.file('new', text).at('new'), was]);
  const told = () => machine.calls.filter((line) => /^systemctl (start|reload|restart)/.test(line));

  const body = (request: http.ClientRequest): Promise<string> =>
    new Promise((resolve) => {
      request.on('error', (error) => resolve(error.message));
      request.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve(text));
      });
    });
  const atService = (agent: http.Agent | false = false) => body(http.get({ host: LB, port: SERVICE, agent }));
  const atApi = (agent: https.Agent | false = false) =>
    body(https.get({ host: LB, port: 8_383, path: '/who', rejectUnauthorized: false, agent }));
  /** Until exactly those answer at the Service's port. */
  const reached = (...names: string[]): Promise<true> =>
    waitUntil(
      async (seen) => {
        const found = [...new Set(await Promise.all(Array.from({ length: 16 }, () => atService())))].sort().join(' ');
        seen(found);
        return found === names.join(' ') ? true : undefined;
      },
      { for: `the Service to be reached on ${names.join(', ')}`, within: seconds(20), every: millis(100) },
    );

  it('begins to serve where there was none: the API at 8383, and the port of a Service on every node', async () => {
    expect(await set(START(), 'none')).toMatchObject({ status: 0, stderr: expect.not.stringContaining('WARNING') as string });
    expect(await atApi()).toBe('master24');
    await reached('master24', 'worker31', 'worker32');
    expect(told()).toEqual(['systemctl start haproxy']);
    expect(machine.read('run/windlass-external-lb').trim()).toBe(digest(file()));
  });

  it('has routes added and taken out by one reload each, and no connection is cut or refused', async () => {
    await set(START(), 'none');
    await reached('master24', 'worker31', 'worker32');
    const [kept, keptApi] = [
      new http.Agent({ keepAlive: true, maxSockets: 1 }),
      new https.Agent({ keepAlive: true, maxSockets: 1 }),
    ];
    const through = await atService(kept);
    await atApi(keptApi);
    const staying = [MASTER, ...WORKERS].filter(({ name }) => name !== through).slice(0, 2);
    const come = { on: true };
    const answered: string[] = [];
    const coming = (async () => {
      while (come.on) answered.push(await atService());
    })();
    expect((await set(routed(file(), [MASTER, ...WORKERS])!)).status).toBe(0);
    await reached('master24', 'worker31', 'worker32', 'worker33');
    expect((await set(routed(file(), staying)!)).status).toBe(0);
    await reached(...staying.map(({ name }) => name));
    come.on = false;
    await coming;
    expect(told()).toEqual(['systemctl start haproxy', 'systemctl reload haproxy', 'systemctl reload haproxy']);
    expect(answered.filter((name) => !/^(master|worker)\d\d$/.test(name))).toEqual([]);
    expect([await atService(kept), await atApi(keptApi)], 'by the connections of before').toEqual([through, 'master24']);
    kept.destroy();
    keptApi.destroy();
  });

  it('passes the ports of a VNF of containers on to the nodes that come, and after it is gone to nobody', async () => {
    const of = { vnf: INSTANCE, balancer: LB };
    const before = here(installed(undefined, { masters: [MASTER], workers: WORKERS.slice(0, 2) }));
    await set(before, 'none');
    expect(await atService(), 'before').toContain('ECONNREFUSED');
    const web = [{ name: 'default_web', ports: [SERVICE] }];
    expect(await set(here(exposed(file(), web, of)))).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('WARNING') as string,
    });
    await reached('master24', 'worker31', 'worker32');
    expect((await set(routed(file(), [MASTER, ...WORKERS])!)).status).toBe(0);
    await reached('master24', 'worker31', 'worker32', 'worker33');
    expect(() => exposed(file(), [{ name: 'other_web', ports: [SERVICE] }], { ...of, vnf: OTHER_VNF })).toThrow(INSTANCE);
    expect((await set(closed(file(), INSTANCE))).status).toBe(0);
    await waitUntil(async () => ((await atService()).includes('ECONNREFUSED') ? true : undefined), {
      for: 'the port to be closed',
      within: seconds(20),
      every: millis(100),
    });
    expect(file()).toBe(routed(before, [MASTER, ...WORKERS]));
  });

  it('keeps its file where HAProxy refuses the new one, and shows what HAProxy says', async () => {
    await set(START(), 'none');
    const before = file();
    const { status, stderr } = await set(`${before}    server worker99 ${SUBNET}.99 check\n`);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('has no backend capability') as string });
    expect(stderr).toContain('is as it was before');
    expect([file(), told()]).toEqual([before, ['systemctl start haproxy']]);
  });

  it('goes on with its file where a port of the new one is taken: a check of the file does not see that', async () => {
    await set(START(), 'none');
    const before = file();
    const other = net.createServer().listen(30_081, LB);
    await once(other, 'listening');
    const { status, stderr } = await set(
      `${before}\nfrontend taken\n    bind ${LB}:30081\n    default_backend kubernetes-nodeport\n`,
    );
    other.close();
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('could not go on') as string });
    expect(file()).toBe(before);
    expect(await atApi()).toBe('master24');
  });

  it('is read again where somebody else has changed the file meanwhile', async () => {
    await set(START(), 'none');
    const before = file();
    machine.append('etc/haproxy/haproxy.cfg', '# of somebody else\n');
    expect((await set(routed(before, WORKERS)!, digest(before))).status).toBe(75);
    expect(file()).toBe(`${before}# of somebody else\n`);
  });
});
