import { masked, millis, seconds, waitUntil } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { DriverSecrets } from './driver-secrets.js';

/** A database that keeps drivers and counts how often it is asked; away while `fails`. */
function database() {
  const kept = new Map<string, object>();
  const asked = { times: 0, fails: false };
  const schemas = () => {
    asked.times++;
    if (asked.fails) return Promise.reject(new Error('away'));
    return Promise.resolve(
      [...kept].map(([name, schema]) => ({
        name,
        schemas: JSON.stringify({ parameters: schema, operationParameters: { SCALE: marks('over') } }),
      })),
    );
  };
  return { kept, asked, secrets: new DriverSecrets({ schemas }) };
}
const params = { pin: 'p', login: 'l', port: 'x', over: 'o' };
const marks = (name: string) => ({ properties: { [name]: { writeOnly: true } } });

describe('what drivers hide', () => {
  it('is read once for however much is shown at once', async () => {
    const { kept, asked, secrets } = database();
    kept.set('a', marks('pin')).set('b', marks('login'));
    const shown = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => masked(params, await secrets.of(n % 2 === 0 ? ['a'] : ['a', 'b']))),
    );
    expect(asked.times).toBe(1);
    expect(shown.slice(0, 2)).toEqual([
      { pin: '***', login: 'l', port: 'x', over: '***' },
      { pin: '***', login: '***', port: 'x', over: '***' },
    ]);
  });

  it('is asked for nobody where no driver has a part', async () => {
    const { asked, secrets } = database();
    expect(masked(params, await secrets.of([]))).toEqual(params);
    expect(asked.times).toBe(0);
  });

  it('is everything where one driver is unknown, and what any hides where nobody wrote down which they were', async () => {
    const { kept, secrets } = database();
    kept.set('a', marks('pin')).set('b', marks('login'));
    expect(masked(params, await secrets.of(['a', 'gone']))).toEqual({ pin: '***', login: '***', port: '***', over: '***' });
    expect(masked(params, await secrets.of(undefined))).toEqual({ pin: '***', login: '***', port: 'x', over: '***' });
  });

  it('is one and the same for as long as no driver says anything else', async () => {
    const { kept, asked, secrets } = database();
    kept.set('a', marks('pin')).set('b', marks('login'));
    const first = await secrets.said();
    const next = (looks: number) =>
      waitUntil(
        async () => {
          const said = await secrets.said();
          return asked.times > looks ? said : undefined;
        },
        { for: 'the next look', within: seconds(20), every: millis(100) },
      );
    expect(await next(1)).toBe(first);
    kept.set('b', marks('port'));
    const changed = await next(2);
    expect(changed).not.toBe(first);
    kept.delete('b');
    expect(await next(3)).not.toBe(changed);
  });

  it('is read anew a second later, and at once after the database was away', async () => {
    const { kept, asked, secrets } = database();
    asked.fails = true;
    await expect(secrets.of(['a'])).rejects.toThrow('away');
    asked.fails = false;
    kept.set('a', marks('pin'));
    expect(masked(params, await secrets.of(['a']))).toMatchObject({ pin: '***', port: 'x' });
    kept.set('a', marks('port'));
    const shown = await waitUntil(
      async () => {
        const now = masked(params, await secrets.of(['a']));
        return now.port === '***' ? now : undefined;
      },
      { for: 'the new schema', within: seconds(20), every: millis(100) },
    );
    expect(shown).toMatchObject({ pin: 'p', port: '***' });
  });
});
