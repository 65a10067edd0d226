import { TransientError } from '@windlass/foundation';
import { EventEmitter } from 'node:events';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { outageOf } from './outage.js';

/** A connection that is there at once, and is asked nothing. */
class Connected extends EventEmitter {
  connect(done: () => void): void {
    process.nextTick(done);
  }
  end(done?: () => void): void {
    done?.();
  }
}

describe('what is told of PostgreSQL when it can not be asked', () => {
  it('is not that it is away, where all connections of the pool are in use', async () => {
    const pool = new pg.Pool({ max: 1, connectionTimeoutMillis: 20, Client: Connected as unknown as typeof pg.Client });
    const taken = await pool.connect();
    const told = outageOf(await pool.connect().catch((error: unknown) => error));
    taken.release();
    await pool.end();
    expect(told).toBeInstanceOf(TransientError);
    expect(told?.code).toBe('database.away');
    expect(told?.message).toMatch(/^no connection to PostgreSQL came free in time/);
  });

  it('is that it is away where nobody listens, and promises nothing to who asked', () => {
    const told = outageOf(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }));
    expect(told?.message).toBe('PostgreSQL is not there now (ECONNREFUSED)');
  });

  it('is nothing where it answered', () => {
    expect(outageOf(Object.assign(new Error('duplicate key'), { code: '23505' }))).toBeUndefined();
  });
});
