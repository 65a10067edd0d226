import { describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { WorkerServiceConfig } from './config.js';
import { ConfigError, readConfig } from './read-config.js';
import { vimRulesOf, withVimProxy } from './vim-rules.js';

const rules = (environment: Record<string, string>) =>
  vimRulesOf(readConfig(WorkerServiceConfig, { NATS_URL: 'nats://127.0.0.1:4222', ...environment }));
const at = (host: string, port: number) => ({ host, port });

describe('connections to VIMs and machines', () => {
  it('go to public and private networks, and to nothing of this machine', () => {
    const usual = rules({});
    for (const address of ['10.0.0.5', '192.168.1.1', 'fd00::5', '93.184.215.14'])
      expect([address, usual.permits(address, at('vim.example', 5000))]).toEqual([address, true]);
    for (const address of ['127.0.0.1', '::1', '169.254.169.254', '0.0.0.0'])
      expect([address, usual.permits(address, at('vim.example', 5000))]).toEqual([address, false]);
  });

  it('go where VIM_ALLOW says beside, never where VIM_DENY says, and where VIM_ONLY is set nowhere else', () => {
    const set = rules({ VIM_ALLOW: '127.0.0.1:5000, [::1]:5000', VIM_DENY: '10.9.0.0/16', VIM_ONLY: '127.0.0.1,::1,10.0.0.0/8' });
    expect(set.permits('127.0.0.1', at('127.0.0.1', 5000))).toBe(true);
    expect(set.permits('127.0.0.1', at('127.0.0.1', 5432))).toBe(false);
    expect(set.permits('::1', at('::1', 5000))).toBe(true);
    expect(set.permits('10.1.0.1', at('10.1.0.1', 22))).toBe(true);
    expect(set.permits('10.9.0.1', at('10.9.0.1', 22))).toBe(false);
    expect(set.permits('192.168.1.1', at('192.168.1.1', 22))).toBe(false);
  });

  it.each([
    ['VIM_ALLOW', 'localhost'],
    ['VIM_ALLOW', '127.0.0.1:0'],
    ['VIM_DENY', 'http://x'],
    ['VIM_ONLY', '10.0.0.0/40'],
  ])('refuse %s=%s', (name, text) => {
    expect(() => rules({ [name]: text })).toThrow(ConfigError);
  });
});

describe('the proxy for OpenStack', () => {
  const proxied = (environment: Record<string, string>) =>
    vimRulesOf(readConfig(withVimProxy(WorkerServiceConfig), { NATS_URL: 'nats://127.0.0.1:4222', ...environment })).proxy;

  it('is none unless VIM_PROXY names it, whatever http_proxy says', () => {
    expect(proxied({ http_proxy: 'http://p:1', HTTPS_PROXY: 'http://p:1', VIM_NO_PROXY: '10.0.0.0/8' })).toBeUndefined();
  });

  it('serves all but what VIM_NO_PROXY says, and its password is printed nowhere', () => {
    const proxy = proxied({ VIM_PROXY: 'http://ann:hunter2@p.example:3128', VIM_NO_PROXY: '10.0.0.0/8, vim.example' });
    expect(proxy).toMatchObject({ named: 'http://p.example:3128', place: at('p.example', 3128) });
    expect(['11.0.0.1', '10.0.0.1', 'vim.example'].map((host) => proxy?.serves(at(host, 443)))).toEqual([true, false, false]);
    expect(inspect(proxy, { showHidden: true, depth: 9 })).not.toContain('hunter2');
  });

  it.each([
    ['VIM_PROXY', 'p.example:3128'],
    ['VIM_PROXY', 'socks5://ann:hunter2@p.example'],
    ['VIM_NO_PROXY', 'http://x'],
  ])('refuse %s=%s, without telling what it was', (name, text) => {
    const wrong = (): unknown => proxied({ [name]: text });
    expect(wrong).toThrow(ConfigError);
    expect(wrong).not.toThrow('hunter2');
  });
});
