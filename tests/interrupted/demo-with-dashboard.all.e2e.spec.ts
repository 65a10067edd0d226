import { existsSync, readFileSync } from 'node:fs';
import axios from 'axios';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cacheWithOwnNotes, RunningCommand, tracesOf } from './support/running-demo.js';

let cache: Awaited<ReturnType<typeof cacheWithOwnNotes>>;
beforeAll(async () => {
  cache = await cacheWithOwnNotes();
});
afterAll(() => cache.remove());

let demo: RunningCommand | undefined;
afterEach(() => demo?.remove());

describe('a demo with --ui', () => {
  it('names the dashboard, which is there, and the file of a token that lets one in; Ctrl-C ends all of it', async () => {
    demo = await RunningCommand.start(cache.folder, 'demo', '--ui');
    await demo.printed('sign in with the token that lies in');
    await demo.printed('== the VNF package');
    const [, url = ''] = /in a browser: (\S+)\/ui\n/.exec(demo.text) ?? [];
    const [, tokenFile = ''] = /that lies in (\S+)\n/.exec(demo.text) ?? [];
    const token = readFileSync(tokenFile, 'utf8').trim();
    expect((await axios.get<string>(`${url}/ui`, { proxy: false })).data).toContain('<div id="app">');
    const who = await axios.get<{ roles: string[] }>(`${url}/windlass/v1/identity`, {
      headers: { 'X-Auth-Token': token },
      proxy: false,
    });
    expect(who.data.roles).toEqual(['admin']);
    const dataDir = await demo.dataDir();
    await demo.interrupt();
    const { text, status } = await demo.ended;
    expect(text).not.toContain(token);
    expect([status, text.includes('interrupted: cleaning up')]).toEqual([130, true]);
    expect([existsSync(dataDir ?? ''), await tracesOf(dataDir ?? '')]).toEqual([false, []]);
  });
});
