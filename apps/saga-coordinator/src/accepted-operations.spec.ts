import { beginMessage } from '@windlass/lifecycle';
import type { MessagingLog } from '@windlass/messaging';
import { describe, expect, it } from 'vitest';
import { AcceptedOperations, MOST_BEGUN } from './accepted-operations.js';

/** Operations that are being begun, each until `end` is called with its id, and what is logged. */
function beginning() {
  const ends = new Map<string, (error?: Error) => void>();
  const begin = (id: string): Promise<void> =>
    new Promise((resolve, reject) => ends.set(id, (error) => (error === undefined ? resolve() : reject(error))));
  const logged: string[] = [];
  const say = (text: string, fields?: Readonly<Record<string, unknown>>): void =>
    void logged.push(`${text} ${JSON.stringify(fields)}`);
  const log: MessagingLog = { info: say, warn: say, error: say };
  const accepted = new AcceptedOperations({ begin }, log);
  return { accepted, ends, logged };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('operations that the outbox tells of', () => {
  it('are begun here, and nothing else of the outbox is', () => {
    const { accepted, ends } = beginning();
    expect(accepted.takes(beginMessage('op'))).toBe(true);
    expect(accepted.takes({ subject: 'windlass.step.infra-driver', message: beginMessage('op').message })).toBe(false);
    expect(accepted.takes({ ...beginMessage('op'), message: { operationId: 'op', stepId: 'create', epoch: 0 } })).toBe(false);
    expect(accepted.takes({ subject: 'windlass.event.operation.STARTING', message: { operationId: 'op' } })).toBe(false);
    expect([...ends.keys()]).toEqual(['op']);
  });

  it('are left to whoever hears their wake-up where enough are under way', async () => {
    const { accepted, ends } = beginning();
    const ids = Array.from({ length: MOST_BEGUN }, (_none, n) => `op${n}`);
    expect(ids.map((id) => accepted.takes(beginMessage(id)))).toEqual(ids.map(() => true));
    expect(accepted.takes(beginMessage('more'))).toBe(false);
    ends.get('op3')?.();
    await settled();
    expect(accepted.takes(beginMessage('more'))).toBe(true);
  });

  it('disturb nobody where they can’t be begun: the log says so, and the place is free again', async () => {
    const { accepted, ends, logged } = beginning();
    accepted.takes(beginMessage('op'));
    ends.get('op')?.(new Error('the database is away'));
    await settled();
    expect(logged).toEqual([
      'an accepted operation could not be begun; the sweep tries again {"operationId":"op","error":"the database is away"}',
    ]);
    await accepted.stop();
  });

  it('are not begun by a coordinator that stops, which ends with those under way', async () => {
    const { accepted, ends } = beginning();
    accepted.takes(beginMessage('op'));
    let isOver = false;
    const stopped = accepted.stop().then(() => (isOver = true));
    expect(accepted.takes(beginMessage('other'))).toBe(false);
    await settled();
    expect(isOver).toBe(false);
    ends.get('op')?.();
    await stopped;
  });
});
