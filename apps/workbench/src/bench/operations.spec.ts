import { RequestError, TransientError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { createInstances, instantiateAll } from './operations.js';

type Stage = Parameters<typeof instantiateAll>[0];

/** A Windlass that answers no request, and whose operations do not end. */
const silent = (signal: AbortSignal): Stage =>
  ({
    api: { accept: () => new Promise(() => undefined) },
    database: { query: () => Promise.resolve({ rows: [] }) },
    vnfdId: '',
    request: {},
    signal,
  }) as unknown as Stage;

describe('operations of a bench that somebody stops', () => {
  it.each([
    ['while requests are sent', 0],
    ['between two requests', 60_000],
  ])('%s: it is told at once', async (_when, every) => {
    const stop = new AbortController();
    const waiting = instantiateAll(silent(stop.signal), ['a', 'b'], every);
    setTimeout(() => stop.abort(), 20);
    await expect(waiting).rejects.toThrow(/abort/i);
  });
});

/** A Windlass that answers a task by the next of these; what it took has ended, and the instance's last operation is `found`. */
function answering(answers: (string | Error)[], found?: string): Stage {
  const accept = (): Promise<string> => {
    const answer = answers.shift();
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? '');
  };
  const query = (text: string, [ids]: [string[]]): Promise<unknown> =>
    Promise.resolve({
      rows: text.includes('lcm.operation ')
        ? ids.map((id) => ({ id, status: 'completed' }))
        : found === undefined
          ? []
          : [{ id: found }],
    });
  return { api: { accept }, database: { query }, vnfdId: '', request: {} } as unknown as Stage;
}

const busy = (): Error => new TransientError('api.failed', 'no connection came free', { status: 503 });
const refused = (): Error => new RequestError(400, 'api.refused', 'an operation is under way');

describe('a request of a bench that lcm-api has no room for', () => {
  it('is sent again, and counted', async () => {
    const watched = await instantiateAll(answering([busy(), '/vnflcm/v1/vnf_lcm_op_occs/one']), ['a']);
    expect(watched.operations.map(({ id }) => id)).toEqual(['one']);
    expect(watched.toldToComeAgain).toBe(1);
  });

  it('is found where the first answer was lost, as the second says that it was taken', async () => {
    const watched = await instantiateAll(answering([busy(), refused()], 'one'), ['a']);
    expect(watched.operations.map(({ id }) => id)).toEqual(['one']);
  });

  it.each([
    ['a refusal', refused()],
    ['a defect', new TransientError('api.failed', 'unexpected', { status: 500 })],
  ])('%s ends the bench at once', async (_what, error) => {
    await expect(instantiateAll(answering([error], 'another'), ['a'])).rejects.toBe(error);
  });

  it('is not one of those that make the instances: these come some at a time, in their order', async () => {
    let under = 0;
    let most = 0;
    let made = 0;
    const post = async (): Promise<{ id: string }> => {
      const id = `${(made += 1)}`;
      most = Math.max(most, (under += 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      under -= 1;
      return { id };
    };
    const ids = await createInstances({ ...answering([]), api: { post } } as unknown as Stage, 100);
    expect(ids.map(Number)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(most).toBe(20);
  });
});
