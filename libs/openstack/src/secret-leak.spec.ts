import { inspect } from 'node:util';
import { Secret, millis } from '@windlass/foundation';
import { HttpProxy } from '@windlass/outbound';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VimConnection } from './session/connection.js';
import { OpenStack } from './openstack.js';
import { FakeVim, PASSWORD, type Reply, type SeenRequest } from './testing/fake-vim.js';

const STACKS = '/heat/v1/p/stacks';

/** All that a logger could print of an error, hidden and inherited members too. */
function everythingOf(error: unknown): string {
  const deep = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxArrayLength: null, maxStringLength: null });
  return `${deep}\n${JSON.stringify(error)}\n${error instanceof Error ? `${error.message}\n${String(error.stack)}` : ''}`;
}

describe('an error', () => {
  let vim: FakeVim;
  beforeEach(async () => {
    vim = await FakeVim.start();
  });
  afterEach(() => vim.close());

  async function errorOf(work: (openStack: OpenStack) => Promise<unknown>, change: Partial<VimConnection> = {}): Promise<string> {
    const openStack = OpenStack.open(vim.connection(change), { limits: { readWithin: millis(200), writeWithin: millis(500) } });
    try {
      await work(openStack);
      return 'no error';
    } catch (error) {
      return everythingOf(error);
    } finally {
      openStack.close();
    }
  }

  const echo =
    (status: number) =>
    (request: SeenRequest): Reply => ({
      status,
      json: { error: { message: `${request.body} ${JSON.stringify(request.headers)}` } },
    });
  const cases: [string, (openStack: OpenStack) => Promise<unknown>, (vim: FakeVim) => void][] = [
    ['a refused password that Keystone repeats', (it) => it.session.token(), (it) => it.on('POST', '/v3/auth/tokens', echo(400))],
    [
      'Keystone failing with the request in its words',
      (it) => it.session.token(),
      (it) => it.on('POST', '/v3/auth/tokens', echo(500)),
    ],
    ['a service that repeats our headers', (it) => it.heat.listStacks(), (it) => it.on('GET', STACKS, echo(400))],
    [
      'a service failing with our headers',
      (it) => it.heat.deleteStack({ name: 'a', id: 'b' }),
      (it) => it.on('DELETE', `${STACKS}/a/b`, echo(503)),
    ],
    ['a lost connection', (it) => it.heat.listStacks(), (it) => it.on('GET', STACKS, 'reset')],
    ['a lost connection to Keystone', (it) => it.session.token(), (it) => it.on('POST', '/v3/auth/tokens', 'reset')],
    ['silence', (it) => it.heat.listStacks(), (it) => it.on('GET', STACKS, 'hang')],
    ['an answer that is no JSON', (it) => it.heat.listStacks(), (it) => it.on('GET', STACKS, { status: 200, text: 'x' })],
    ['a token refused twice', (it) => it.heat.listStacks(), (it) => it.on('GET', STACKS, echo(401))],
  ];

  it.each(cases)('of %s shows neither password nor token', async (_what, work, prepare) => {
    prepare(vim);
    const shown = await errorOf(work);
    expect(shown).not.toBe('no error');
    expect(shown).toContain('openstack.');
    expect(shown).not.toContain(PASSWORD);
    for (const token of vim.tokens) expect(shown).not.toContain(token);
  });

  it('masks a password with quotes in it as JSON spells it, and before cutting the message', async () => {
    const password = 'q"uo\\te-' + 'x'.repeat(80);
    const credentials = { kind: 'password' as const, username: 'vnfm', password: new Secret(password), project: 'vnfm' };
    vim.on('POST', '/v3/auth/tokens', (request) => ({
      status: 400,
      json: { error: { message: `${'.'.repeat(960)} ${request.body.slice(request.body.indexOf('q'))} ${password}` } },
    }));
    const shown = await errorOf((it) => it.session.token(), { credentials });
    expect(shown).toContain('openstack.bad-request');
    expect(shown).not.toContain('xxxxxxxx');
  });

  it('of an unreachable proxy does not show its password', async () => {
    const shown = await errorOf((it) => it.session.token(), {
      proxy: new HttpProxy(new Secret('http://user:pr0xypass@127.0.0.1:9')),
    });
    expect(shown).toContain('openstack.unreachable');
    expect(shown).not.toContain('pr0xypass');
  });

  it('of a URL with a user in it does not show the user', async () => {
    const shown = await errorOf((it) => it.session.token(), { authUrl: 'http://ann:hunter2@127.0.0.1:9/' });
    expect(shown).not.toContain('hunter2');
  });

  it('and a session never print their secrets', async () => {
    const openStack = OpenStack.open(vim.connection());
    await openStack.session.token();
    const shown = everythingOf(openStack);
    expect(shown).not.toContain(PASSWORD);
    openStack.close();
  });
});
