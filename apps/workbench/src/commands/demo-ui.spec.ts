import { describe, expect, it } from 'vitest';
import { dashboardLines, watched } from './demo-ui.js';

const stage = (): { said: string[]; stop: () => void; shown: Parameters<typeof watched>[1]; abort: AbortController } => {
  const said: string[] = [];
  const abort = new AbortController();
  let stop = (): void => undefined;
  const stopSignalled = new Promise<void>((resolve) => (stop = resolve));
  return { said, stop: () => stop(), shown: { say: (line) => said.push(line), signal: abort.signal, stopSignalled }, abort };
};

describe('a demo with its dashboard', () => {
  it('names its address, and the file of the token instead of the token', () => {
    expect(dashboardLines({ url: 'http://127.0.0.1:1', tokenFile: '/data/token' }).join('\n')).toBe(
      'the dashboard, in a browser: http://127.0.0.1:1/ui\n  sign in with the token that lies in /data/token',
    );
  });

  it('stands where what it shows has failed, until it is told to stop', async () => {
    const { said, stop, shown } = stage();
    let hasEnded = false;
    const ended = watched(() => Promise.reject(new Error('FAILED_TEMP')), shown).finally(() => (hasEnded = true));
    ended.catch(() => undefined);
    await new Promise(setImmediate);
    expect([hasEnded, said[0]]).toEqual([false, '  FAILED_TEMP']);
    stop();
    await expect(ended).rejects.toThrow('FAILED_TEMP');
  });

  it('does not wait for a second Ctrl-C when the first one ended its work', async () => {
    const { said, shown, abort } = stage();
    abort.abort();
    await expect(watched(() => Promise.reject(new Error('aborted')), shown)).rejects.toThrow('aborted');
    expect(said).toEqual([]);
  });
});
