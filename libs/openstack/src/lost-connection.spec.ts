import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, seconds, Secret } from '@windlass/foundation';
import { HttpProxy } from '@windlass/outbound';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from './openstack.js';
import type { SessionOptions } from './session/openstack-session.js';
import { FakeVim } from './testing/fake-vim.js';

const STACKS = '/heat/v1/p/stacks';

describe('a connection that fails', () => {
  let vim: FakeVim;
  const cleanUp: (() => void | Promise<void>)[] = [];
  const open = (change: Parameters<FakeVim['connection']>[0] = {}, options: SessionOptions = {}) => {
    const openStack = OpenStack.open(vim.connection(change), options);
    cleanUp.push(() => openStack.close());
    return openStack;
  };
  beforeEach(async () => {
    vim = await FakeVim.start();
  });
  afterEach(async () => {
    for (const task of cleanUp.splice(0)) await task();
    await vim.close();
  });

  it('before anything was sent is openstack.unreachable', async () => {
    const openStack = open();
    await openStack.session.token();
    await vim.close();
    vim = await FakeVim.start();
    await expect(openStack.heat.listStacks()).rejects.toMatchObject({ name: 'TransientError', code: 'openstack.unreachable' });
  });

  it('to a name that does not exist is openstack.unreachable', async () => {
    await expect(open({ authUrl: 'http://keystone.invalid:5000' }).session.token()).rejects.toMatchObject({
      name: 'TransientError',
      code: 'openstack.unreachable',
    });
  });

  it('after the request was sent is openstack.connection-lost, for it may have been carried out', async () => {
    vim.on('POST', STACKS, 'reset');
    await expect(open().heat.createStack({ name: 'a', template: {} })).rejects.toMatchObject({
      name: 'TransientError',
      code: 'openstack.connection-lost',
    });
    expect(vim.serviceRequests).toHaveLength(1);
  });

  it('because the other side had closed all kept-alive ones is tried again by a new one', async () => {
    vim.on('GET', STACKS, { status: 200, json: { stacks: [] } });
    const openStack = open();
    await Promise.all(Array.from({ length: 5 }, () => openStack.heat.listStacks()));
    const old = new Set(vim.serviceRequests.map(({ remotePort }) => remotePort));
    expect(old.size).toBe(5);
    vim.on('GET', STACKS, ({ remotePort }) => (old.has(remotePort) ? 'reset' : { status: 200, json: { stacks: [] } }));
    await expect(openStack.heat.listStacks()).resolves.toEqual([]);
    expect(vim.serviceRequests).toHaveLength(7);
  });

  it('that is lost again by the new one is openstack.connection-lost', async () => {
    const openStack = open();
    vim.on('GET', STACKS, { status: 200, json: { stacks: [] } });
    await openStack.heat.listStacks();
    vim.on('GET', STACKS, 'reset');
    await expect(openStack.heat.listStacks()).rejects.toMatchObject({
      name: 'TransientError',
      code: 'openstack.connection-lost',
    });
    expect(vim.serviceRequests).toHaveLength(3);
  });

  it('is new for each change, and a change is never sent twice', async () => {
    vim.on('GET', STACKS, { status: 200, json: { stacks: [] } }).on('DELETE', `${STACKS}/a/1`, 'reset');
    const openStack = open();
    await openStack.heat.listStacks(); // leaves a connection behind
    await expect(openStack.heat.deleteStack({ name: 'a', id: '1' })).rejects.toMatchObject({ code: 'openstack.connection-lost' });
    const [get, remove] = vim.serviceRequests;
    expect(remove!.remotePort).not.toBe(get!.remotePort);
    expect(vim.serviceRequests).toHaveLength(2);
  });

  it('by silence, or in the middle of the answer, ends when the time is up', async () => {
    vim.on('GET', STACKS, 'hang').on('GET', `${STACKS}/a`, { status: 200, trickle: '{"stack":' });
    const openStack = open({}, { limits: { readWithin: millis(150) } });
    for (const call of [openStack.heat.listStacks(), openStack.heat.findStack('a')]) {
      await expect(call).rejects.toMatchObject({ name: 'TransientError', code: 'openstack.timeout' });
    }
    await expect(openStack.heat.listStacks()).rejects.toThrow(/had no complete answer within 150 ms/);
  });

  it('by never being accepted ends when the time to connect is up', async () => {
    // A listener with a full backlog: the kernel lets further connections wait.
    const full = net.createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 });
    await new Promise((resolve) => full.once('listening', resolve));
    const { port } = full.address() as net.AddressInfo;
    const tls = open(
      { authUrl: `https://127.0.0.1:${port}` },
      { limits: { connectWithin: millis(150), writeWithin: seconds(10) } },
    );
    cleanUp.push(() => void full.close());
    // TCP connects, but nobody answers the TLS handshake.
    await expect(tls.session.token()).rejects.toMatchObject({
      code: 'openstack.unreachable',
      message: expect.stringContaining('no connection within 150 ms') as string,
    });
    tls.close();
  });

  it('is ended by the signal of the step, whose reason is thrown', async () => {
    const control = new AbortController();
    vim.on('GET', STACKS, () => {
      setImmediate(() => control.abort(new Error('lease lost')));
      return 'hang';
    });
    const openStack = open();
    await expect(openStack.with({ signal: control.signal }).heat.listStacks()).rejects.toThrow('lease lost');
    vim.on('GET', STACKS, { status: 200, json: { stacks: [] } });
    await expect(openStack.heat.listStacks()).resolves.toEqual([]);
  });

  it('by an answer without end stops reading', async () => {
    vim.on('GET', STACKS, { status: 200, text: 'x'.repeat(100_000) });
    const openStack = open({}, { limits: { maxAnswerBytes: 50_000 } });
    await expect(openStack.heat.listStacks()).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'openstack.answer-too-large',
    });
  });

  it('never goes through a proxy of the environment, and through the configured one', async () => {
    const before = { ...process.env };
    process.env.http_proxy = process.env.HTTP_PROXY = 'http://127.0.0.1:9';
    cleanUp.push(() => void (process.env = before));
    await expect(open().session.token()).resolves.toBeDefined();
    await expect(open({ proxy: new HttpProxy(new Secret('http://127.0.0.1:9')) }).session.token()).rejects.toMatchObject({
      code: 'openstack.unreachable',
    });
  });
});

describe('the certificate of a VIM', () => {
  let folder: string;
  let vim: FakeVim;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'windlass-tls-'));
    const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '1',
        '-subj',
        '/CN=vim',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
        '-keyout',
        files.key,
        '-out',
        files.cert,
      ],
      { stdio: 'ignore' },
    );
    vim = await FakeVim.start({ key: readFileSync(files.key), cert: readFileSync(files.cert) });
  });
  afterEach(async () => {
    await vim.close();
    rmSync(folder, { recursive: true });
  });
  const token = async (change: Parameters<FakeVim['connection']>[0]) => {
    const openStack = OpenStack.open(vim.connection(change));
    try {
      return await openStack.session.token();
    } finally {
      openStack.close();
    }
  };

  it('is verified by default, and nothing is sent when it is not trusted', async () => {
    await expect(token({})).rejects.toMatchObject({ name: 'TerminalError', code: 'openstack.tls-untrusted' });
    expect(vim.requests).toEqual([]);
  });

  it('is trusted with its CA given, or when the operator turns verifying off', async () => {
    await expect(token({ tls: { ca: readFileSync(join(folder, 'cert.pem'), 'utf8') } })).resolves.toBeDefined();
    await expect(token({ tls: { verify: false } })).resolves.toBeDefined();
  });

  it('must be for the name that is connected to', async () => {
    const ca = readFileSync(join(folder, 'cert.pem'), 'utf8');
    const authUrl = vim.url.replace('127.0.0.1', 'localhost');
    await expect(token({ authUrl, tls: { ca } })).rejects.toMatchObject({ code: 'openstack.tls-untrusted' });
  });

  it('may be for another name where the operator says so, and is verified all the same', async () => {
    const ca = readFileSync(join(folder, 'cert.pem'), 'utf8');
    const authUrl = vim.url.replace('127.0.0.1', 'localhost');
    await expect(token({ authUrl, tls: { verifyHostname: false } })).rejects.toMatchObject({ code: 'openstack.tls-untrusted' });
    expect(vim.requests).toEqual([]);
    await expect(token({ authUrl, tls: { verifyHostname: false, ca } })).resolves.toBeDefined();
  });

  it('is missing where the address speaks plain HTTP', async () => {
    const plain = await FakeVim.start();
    await expect(token({ authUrl: plain.url.replace('http:', 'https:') })).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'openstack.tls-failed',
    });
    await plain.close();
  });
});
