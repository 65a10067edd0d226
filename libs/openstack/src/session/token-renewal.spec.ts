import { Secret } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from '../openstack.js';
import { FakeVim } from '../testing/fake-vim.js';

describe('the token of a session', () => {
  let vim: FakeVim;
  let now = 0;
  const opened: OpenStack[] = [];
  const open = (change: Parameters<FakeVim['connection']>[0] = {}) => {
    const openStack = OpenStack.open(vim.connection(change), { clock: () => now });
    opened.push(openStack);
    return openStack;
  };

  beforeEach(async () => {
    now = 0;
    vim = await FakeVim.start();
    vim.on('GET', '/v3/regions', { status: 200, json: { regions: [{ id: 'RegionTwo' }, { id: 'RegionOne' }] } });
  });
  afterEach(async () => {
    opened.splice(0).forEach((openStack) => openStack.close());
    await vim.close();
  });

  it('is asked for once by a hundred requests at the same time', async () => {
    const openStack = open();
    const regions = await Promise.all(Array.from({ length: 100 }, () => openStack.identity.regions()));
    expect(regions[99]).toEqual(['RegionOne', 'RegionTwo']);
    expect(vim.authentications).toHaveLength(1);
  });

  it('asks with user, domain and project as Keystone v3 has it', async () => {
    await open().session.token();
    expect(JSON.parse(vim.authentications[0]!.body)).toEqual({
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'vnfm', password: 'correct horse battery staple', domain: { name: 'Default' } } },
        },
        scope: { project: { name: 'vnfm', domain: { name: 'Default' } } },
      },
    });
  });

  it('is renewed before it ends, by a clock that never jumps', async () => {
    const openStack = open();
    vim.tokenLife = 3_600;
    await openStack.identity.regions();
    now = 29 * 60_000;
    await openStack.identity.regions();
    expect(vim.authentications).toHaveLength(1);
    now = 31 * 60_000; // 29 minutes of the hour left, too few for a stack that grows
    await openStack.identity.regions();
    expect(vim.authentications).toHaveLength(2);
  });

  it('that lives for seconds only is used for half of them', async () => {
    const openStack = open();
    vim.tokenLife = 10;
    await openStack.identity.regions();
    now = 4_900;
    await openStack.identity.regions();
    now = 5_100;
    await openStack.identity.regions();
    expect(vim.authentications).toHaveLength(2);
  });

  it('is renewed once when a service refuses it, and the request is sent again', async () => {
    const openStack = open();
    await openStack.identity.regions();
    vim.tokens.clear();
    await expect(openStack.identity.regions()).resolves.toHaveLength(2);
    expect(vim.authentications).toHaveLength(2);
  });

  it('refused again after the renewal ends with openstack.unauthorized', async () => {
    vim.on('GET', '/v3/regions', { status: 401, json: { error: { message: 'no' } } });
    await expect(open().identity.regions()).rejects.toMatchObject({ code: 'openstack.unauthorized', name: 'TerminalError' });
    expect(vim.authentications).toHaveLength(2);
  });

  it('is asked for anew after Keystone was down', async () => {
    const openStack = open();
    vim.on('POST', '/v3/auth/tokens', { status: 503, text: '<html>Service Unavailable</html>' });
    const both = await Promise.allSettled([openStack.identity.regions(), openStack.identity.regions()]);
    expect(both.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    await expect(openStack.identity.regions()).rejects.toMatchObject({ name: 'TransientError', code: 'openstack.server-error' });
    expect(vim.authentications).toHaveLength(2);
  });

  it('is not lost for others when one of those waiting for it aborts', async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    vim.on('POST', '/v3/auth/tokens', async (request) => {
      await asked;
      return vim.authenticate(request);
    });
    const openStack = open();
    const control = new AbortController();
    const aborted = openStack.with({ signal: control.signal }).identity.regions();
    const other = openStack.identity.regions();
    control.abort(new Error('step cancelled'));
    await expect(aborted).rejects.toThrow('step cancelled'); // while Keystone has not answered yet
    answer();
    await expect(other).resolves.toHaveLength(2);
    expect(vim.authentications).toHaveLength(1);
  });

  it('refused for a wrong password names user and project, and what it could not do', async () => {
    const openStack = open({
      credentials: { kind: 'password', username: 'vnfm', password: new Secret('wrong'), userDomain: 'Users', project: 'vnfm' },
    });
    await expect(openStack.identity.regions()).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'openstack.unauthorized',
      message: `Keystone at ${vim.url}/v3/auth/tokens does not accept user "vnfm" of domain "Users" on project "vnfm"`,
    });
  });

  it('can be had by an application credential or another token', async () => {
    await open({ credentials: { kind: 'application-credential', id: 'ac-1', secret: new Secret('s3cret') } }).session.token();
    await open({ credentials: { kind: 'token', token: new Secret('t0ken'), project: { id: 'p1' } } }).session.token();
    expect(vim.authentications.map((request) => JSON.parse(request.body) as unknown)).toEqual([
      { auth: { identity: { methods: ['application_credential'], application_credential: { id: 'ac-1', secret: 's3cret' } } } },
      { auth: { identity: { methods: ['token'], token: { id: 't0ken' } }, scope: { project: { id: 'p1' } } } },
    ]);
  });

  it('leads to the endpoints of the wanted region, and says what there is when there is none', async () => {
    vim.on('GET', '/elsewhere/heat/v1/p/stacks', { status: 200, json: { stacks: [] } });
    await expect(open({ region: 'RegionTwo', interface: 'internal' }).heat.listStacks()).resolves.toEqual([]);
    await expect(open({ region: 'Nowhere' }).heat.listStacks()).rejects.toMatchObject({
      code: 'openstack.no-endpoint',
      message: expect.stringMatching(
        /no public endpoint of orchestration in region "Nowhere"; it has: orchestration \(public, RegionOne\)/,
      ) as string,
    });
  });

  it('is checked for somebody else, and undefined when Keystone does not know it', async () => {
    const openStack = open();
    const token = await openStack.session.token();
    vim.on('GET', '/v3/auth/tokens', (request) =>
      request.headers['x-subject-token'] === token.id.reveal()
        ? {
            status: 200,
            json: { token: { user: { id: 'u1', name: 'ann' }, roles: [{ name: 'reader' }], expires_at: '2026-11-21T23:47:53Z' } },
          }
        : { status: 404 },
    );
    await expect(openStack.identity.validate(token.id)).resolves.toMatchObject({ userName: 'ann', roles: ['reader'] });
    await expect(openStack.identity.validate(new Secret('unknown'))).resolves.toBeUndefined();
  });
});
