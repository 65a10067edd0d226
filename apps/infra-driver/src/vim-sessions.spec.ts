import { millis, minutes, seconds, waitUntil } from '@windlass/foundation';
import type { VimAccess } from '@windlass/lifecycle';
import { waitForStack, type VimConnection } from '@windlass/openstack';
import { FakeVim } from '@windlass/openstack/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VimSessions } from './vim-sessions.js';

const ref = { name: 'vnf-a', id: 'b08324e7-eb34-43b1-b128-1e6eebd8e15f' };

describe('sessions with VIMs', () => {
  let vim: FakeVim;
  let sessions: VimSessions;
  beforeEach(async () => {
    vim = await FakeVim.start();
    sessions = new VimSessions(undefined);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    sessions.close();
    await vim.close();
  });
  const passwordOf = ({ credentials }: VimConnection): string =>
    credentials.kind === 'password' ? credentials.password.reveal() : '';
  const access = (change: Partial<VimAccess> = {}): VimAccess => ({
    connectionId: 'one',
    authUrl: vim.url,
    username: 'vnfm',
    password: passwordOf(vim.connection()),
    userDomainName: 'Default',
    projectName: 'vnfm',
    projectDomainName: 'Default',
    verifyTls: true,
    ...change,
  });

  it('have one watch for one user of one project, whatever the connection is called, and each other user has his own', () => {
    const { watch } = sessions.of(access());
    expect(watch).toBeDefined();
    expect(sessions.of(access({ connectionId: 'two' })).watch).toBe(watch);
    expect(sessions.of(access()).with({}).watch).toBe(watch);
    const others: Partial<VimAccess>[] = [
      { password: 'another' },
      { username: 'another' },
      { projectName: 'another' },
      { userDomainName: 'another' },
      { region: 'RegionTwo' },
      { authUrl: `${vim.url}/v3` },
      { verifyTls: false },
    ];
    const watches = new Set([watch, ...others.map((change) => sessions.of(access(change)).watch)]);
    expect(watches.size).toBe(others.length + 1);
  });

  it('that changed their password go on with the old one for who waits already, and with the new one for who comes', async () => {
    vim.on('GET', /\/stacks\?/, { status: 200, json: { stacks: [] } });
    const old = sessions.of(access());
    await old.session.token();
    const changed = sessions.of(access({ password: 'not the one' }));
    await expect(waitForStack(changed.heat, ref, 'CREATE', { within: seconds(5) })).rejects.toMatchObject({
      code: 'openstack.unauthorized',
    });
    // The listing shows nothing, and the stack alone is not there either: asked with the token that is good.
    await expect(waitForStack(old.heat, ref, 'CREATE', { within: seconds(5) })).rejects.toMatchObject({
      code: 'heat.stack-not-found',
    });
    expect(new Set(vim.serviceRequests.map(({ headers }) => headers['x-auth-token'])).size).toBe(1);
  });

  it('are not closed while a stack is waited for through them, however long', async () => {
    vim.on('GET', /\/stacks\?/, 'hang');
    const used = sessions.of(access());
    const close = vi.spyOn(used, 'close');
    const control = new AbortController();
    const waiting = waitForStack(used.heat, ref, 'CREATE', { within: minutes(60), signal: control.signal });
    await waitUntil(() => Promise.resolve(vim.serviceRequests.length > 0 || undefined), {
      for: 'the listing',
      within: seconds(50),
      every: millis(10),
    });
    const now = performance.now.bind(performance);
    const at = vi.spyOn(performance, 'now').mockImplementation(() => now() + minutes(20));
    sessions.of(access({ username: 'another' }));
    expect(close).not.toHaveBeenCalled();
    control.abort(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
    at.mockImplementation(() => now() + minutes(40));
    sessions.of(access({ username: 'another' }));
    expect(close).toHaveBeenCalledTimes(1);
  });
});
