import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Secret } from '@windlass/foundation';
import { AddressRules, defaultOutboundRules, HttpProxy, placeThroughProxy, type OutboundRules } from '@windlass/outbound';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from './openstack.js';
import { FakeVim } from './testing/fake-vim.js';
import { HttpProxyServer } from './testing/http-proxy-server.js';

const LOGIN = 'ann:hunter2-proxy';
const LOOPBACK = ['127.0.0.0/8', '::1'];
const rulesOf = (change: Partial<OutboundRules>, proxy?: HttpProxy): AddressRules =>
  new AddressRules({ ...defaultOutboundRules, ...change }, proxy);

describe('an OpenStack behind a proxy', () => {
  const cleanUp: (() => unknown)[] = [];
  let folder: string;
  let tls: { key: string; cert: string };
  let proxy: HttpProxyServer;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'windlass-proxy-'));
    const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
    const subject = ['-subj', '/CN=vim', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', files.key, '-out', files.cert, ...subject],
      {
        stdio: 'ignore',
      },
    );
    tls = { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.cert, 'utf8') };
    proxy = await HttpProxyServer.start(LOGIN);
    cleanUp.push(() => proxy.close());
  });
  afterEach(async () => {
    for (const clean of cleanUp.splice(0).reverse()) await clean();
    rmSync(folder, { recursive: true });
  });

  const vimOf = async (secure: boolean): Promise<FakeVim> => {
    const vim = await FakeVim.start(secure ? tls : undefined);
    cleanUp.push(() => vim.close());
    vim.on('GET', '/heat/v1/p/stacks', { status: 200, json: { stacks: [] } });
    vim.on('DELETE', /\/heat\/v1\/p\/stacks\//, { status: 204 });
    return vim;
  };
  const open = (vim: FakeVim, rules: AddressRules): OpenStack => {
    const openStack = OpenStack.open(vim.connection({ tls: { ca: tls.cert } }), { rules });
    cleanUp.push(() => openStack.close());
    return openStack;
  };
  const through = (change: Partial<OutboundRules> = { allow: LOOPBACK }, except: string[] = [], login?: string): AddressRules =>
    rulesOf(change, new HttpProxy(proxy.url(login), except));
  const failureOf = (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => new Error('it went well'),
      (error: unknown) => error as Error,
    );

  it('is asked by http with absolute URLs, bodies and all, and nothing goes past the proxy', async () => {
    const vim = await vimOf(false);
    const openStack = open(vim, through());
    await expect(openStack.heat.listStacks()).resolves.toEqual([]);
    await expect(openStack.heat.deleteStack({ name: 'a', id: 'b' })).resolves.toBe(true);
    expect(proxy.seen).toEqual([
      `POST ${vim.url}/v3/auth/tokens`,
      `GET ${vim.url}/heat/v1/p/stacks?limit=200`,
      `DELETE ${vim.url}/heat/v1/p/stacks/a/b`,
    ]);
    expect(vim.requests).toHaveLength(3);
    expect(vim.requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([undefined, undefined, undefined]);
  });

  it('is asked by https through a tunnel, its own certificate verified', async () => {
    const vim = await vimOf(true);
    await expect(open(vim, through()).heat.listStacks()).resolves.toEqual([]);
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT ${new URL(vim.url).host}`]));
    const distrustful = OpenStack.open(vim.connection(), { rules: through() });
    cleanUp.push(() => distrustful.close());
    await expect(distrustful.session.token()).rejects.toMatchObject({ code: 'openstack.tls-untrusted' });
  });

  it.each([true, false])('goes by no proxy to what is excepted (https: %s)', async (secure) => {
    const vim = await vimOf(secure);
    await open(vim, through({ allow: LOOPBACK }, ['127.0.0.0/8'])).heat.listStacks();
    expect(proxy.seen).toEqual([]);
  });

  it.each([true, false])(
    'at an address that the rules refuse is not asked for at the proxy either (https: %s)',
    async (secure) => {
      const vim = await vimOf(secure);
      await expect(open(vim, through({})).session.token()).rejects.toMatchObject({ code: 'openstack.address-refused' });
      const denied = through({ allow: LOOPBACK, deny: ['127.0.0.1'] });
      await expect(open(vim, denied).session.token()).rejects.toMatchObject({ code: 'openstack.address-refused' });
      expect(proxy.seen).toEqual([]);
      expect(vim.requests).toEqual([]);
    },
  );

  it.each([true, false])(
    'is not asked without the login of the proxy, whose password is in no error (https: %s)',
    async (secure) => {
      const vim = await vimOf(secure);
      const failure = await failureOf(open(vim, through(undefined, [], 'ann:wr0ng-secret')).session.token());
      expect(failure).toMatchObject({ name: 'TerminalError', code: 'openstack.proxy-refused' });
      expect(failure.message).toContain(`through the proxy http://127.0.0.1:`);
      expect(failure.message).toContain('look at user and password in VIM_PROXY');
      const shown = inspect(failure, { depth: 9, showHidden: true }) + inspect(through(), { depth: 9, showHidden: true });
      for (const secret of ['wr0ng-secret', 'hunter2-proxy', Buffer.from(LOGIN).toString('base64')])
        expect(shown).not.toContain(secret);
      expect(vim.requests).toEqual([]);
    },
  );

  it('that the proxy does not reach is tried again, and one that it refuses is not', async () => {
    const vim = await vimOf(true);
    proxy.answers = 502;
    await expect(open(vim, through()).session.token()).rejects.toMatchObject({
      name: 'TransientError',
      code: 'openstack.proxy-refused',
    });
    proxy.answers = 403;
    await expect(open(vim, through()).session.token()).rejects.toMatchObject({
      name: 'TerminalError',
      message: expect.stringContaining('VIM_NO_PROXY') as string,
    });
  });

  it('whose proxy is away says so', async () => {
    const vim = await vimOf(false);
    const gone = rulesOf({ allow: LOOPBACK }, new HttpProxy(new Secret(`http://${LOGIN}@127.0.0.1:9`)));
    const failure = await failureOf(open(vim, gone).session.token());
    expect(failure).toMatchObject({ name: 'TransientError', code: 'openstack.unreachable' });
    expect(failure.message).toContain('through the proxy http://127.0.0.1:9 could not be sent');
    expect(inspect(failure, { depth: 9 })).not.toContain('hunter2');
  });
});

describe('a name that a proxy is asked for', () => {
  const resolve = (answers: Record<string, string>) => (host: string) =>
    answers[host] === undefined
      ? Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }))
      : Promise.resolve([{ address: answers[host], family: 4 }]);
  const place = { host: 'vim.example', port: 5000 };

  it('is looked up here, and the proxy gets the address that is permitted: its DNS may say another', async () => {
    const known = resolve({ 'vim.example': '10.0.0.7' });
    await expect(placeThroughProxy(place, { rules: rulesOf({}), resolve: known })).resolves.toEqual({
      host: '10.0.0.7',
      port: 5000,
    });
    const loopback = resolve({ 'vim.example': '127.0.0.1' });
    await expect(placeThroughProxy(place, { rules: rulesOf({}), resolve: loopback })).rejects.toMatchObject({
      code: 'ERR_ADDRESS_REFUSED',
    });
    await expect(placeThroughProxy(place, { rules: rulesOf({ only: ['vim.example'] }), resolve: loopback })).rejects.toThrow();
  });

  it('goes to it as a name where it is not known here and the operator names that host, and not otherwise', async () => {
    const unknown = resolve({});
    await expect(placeThroughProxy(place, { rules: rulesOf({ only: ['vim.example'] }), resolve: unknown })).resolves.toEqual(
      place,
    );
    for (const rules of [
      rulesOf({}),
      rulesOf({ only: ['other.example'] }),
      rulesOf({ only: ['vim.example'], deny: ['vim.example'] }),
    ])
      await expect(placeThroughProxy(place, { rules, resolve: unknown })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('is excepted by itself, by what is below it, and by its port', () => {
    const proxy = new HttpProxy(new Secret('http://p:3128'), ['a.example', '*.b.example', 'c.example:5000', '10.0.0.0/8', '::1']);
    const direct = (host: string, port = 443): boolean => !proxy.serves({ host, port });
    expect(['a.example', 'A.example', 'x.b.example', '10.1.2.3', '::1'].map((host) => direct(host))).toEqual(Array(5).fill(true));
    expect(['x.a.example', 'b.example', 'c.example', '11.0.0.1'].map((host) => direct(host))).toEqual(Array(4).fill(false));
    expect(direct('c.example', 5000)).toBe(true);
  });

  it.each(['p:3128', 'socks5://p:1', 'http://p/path', 'http://p?q', 'http://u:%E0%A4%A@p', ''])(
    'refuses %s as a proxy',
    (url) => {
      expect(() => new HttpProxy(new Secret(url))).toThrow('http or https URL');
    },
  );
});
