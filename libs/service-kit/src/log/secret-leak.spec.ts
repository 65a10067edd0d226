import { InvariantError, isJsonObject, Secret, TransientError, type JsonObject } from '@windlass/foundation';
import { inTrace, startTrace } from '@windlass/foundation';
import { beforeEach, describe, expect, it } from 'vitest';
import { NestLogger } from './nest-logger.js';
import { ServiceLog, type LogFields } from './service-log.js';

describe('the log of a service', () => {
  let written: string[];
  let log: ServiceLog;
  const last = (): JsonObject => {
    const line: unknown = JSON.parse(written.at(-1) ?? 'null');
    if (!isJsonObject(line)) throw new Error('no line');
    return line;
  };
  const logged = (fields: LogFields, message = 'm'): JsonObject => {
    log.info(message, fields);
    return last();
  };

  beforeEach(() => {
    written = [];
    const sink = { write: (line: string) => void written.push(line) };
    log = new ServiceLog({ service: 'svc', version: '1', replica: 'svc@host:1', level: 'info', sink });
  });

  it('is one JSON object a line, with what one looks for', () => {
    expect(logged({ stack: 'a' }, 'made a stack')).toMatchObject({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      service: 'svc',
      version: '1',
      replica: 'svc@host:1',
      message: 'made a stack',
      stack: 'a',
    });
    expect(written[0]).toMatch(/^\{.*\}\n$/);
    log.debug('too much');
    expect(written).toHaveLength(1);
  });

  it('says in which operation, step and trace its code ran', () => {
    const trace = startTrace({ operationId: 'o1', stepId: 's1' });
    inTrace(trace, () => log.info('in it'));
    expect(last()).toMatchObject({ operationId: 'o1', stepId: 's1', traceId: trace.traceId, spanId: trace.spanId });
    log.info('beside it');
    expect(last()).not.toHaveProperty('operationId');
  });

  it('masks by name, at any depth', () => {
    const line = logged({
      request: { user: 'me', password: 'hunter2', deep: [{ bearer_token: 'abc', privateKey: 'k' }] },
      token: 7,
    });
    expect(line.request).toEqual({ user: 'me', password: '***', deep: [{ bearer_token: '***', privateKey: '***' }] });
    expect(line.token).toBe('***');
  });

  it('masks values made known, wherever they are: messages, texts in fields, errors and their causes', () => {
    log.conceal(new Secret('hunter2'));
    const cause = new Error('login with hunter2 failed');
    const error = new TransientError('vim.away', 'hunter2 was refused', { cause });
    logged({ body: '{"pw":"hunter2"}', error, list: ['x hunter2 y'] }, 'tried hunter2');
    expect(written.join('')).not.toContain('hunter2');
    expect(last()).toMatchObject({
      message: 'tried ***',
      error: { code: 'vim.away', message: '*** was refused', cause: { message: 'login with *** failed' } },
    });
  });

  it('masks a secret of several lines also where it stands escaped in a text', () => {
    const key = '-----BEGIN KEY-----\nab"c\n-----END KEY-----';
    log.conceal(new Secret(key));
    logged({ plain: key, dumped: JSON.stringify({ key }) });
    expect(written.join('')).not.toContain('ab');
  });

  it('masks the password of a URL that is a secret, also apart from it and unescaped', () => {
    log.conceal(new Secret('postgres://me:p%40ssw0rd@db/x'));
    logged({ text: 'failed for p@ssw0rd', other: 'p%40ssw0rd', url: 'http://a:b@c/d' });
    expect(written.join('')).not.toMatch(/ssw0rd|a:b/);
    expect(last().url).toBe('http://***@c/d');
  });

  it('stays JSON when a secret is a number that others are too', () => {
    log.conceal(new Secret('1234'));
    expect(logged({ pid: 1234, note: 'pin 1234' })).toMatchObject({ pid: 1234, note: 'pin ***' });
  });

  it('does not mask by values too short to be looked for', () => {
    log.conceal(new Secret('a'));
    expect(logged({ note: 'a banana' }).note).toBe('a banana');
  });

  it('shows a Secret as its mask and survives what is no JSON', () => {
    const circle: Record<string, unknown> = { name: 'round' };
    circle.self = circle;
    const same = { x: 1 };
    const line = logged({
      secret: { v: new Secret('s') },
      circle,
      same: [same, same],
      bytes: Buffer.from('abc'),
      big: 7n,
      when: new Date(0),
    });
    expect(line).toMatchObject({
      secret: { v: '***' },
      circle: { name: 'round', self: '[circular]' },
      same: [{ x: 1 }, { x: 1 }],
      bytes: '[3 bytes]',
      big: '7',
      when: '1970-01-01T00:00:00.000Z',
    });
  });

  it('ends with the causes of an error that is its own cause', () => {
    const error = new Error('snake');
    error.cause = error;
    expect(logged({ error }).error).toMatchObject({ message: 'snake', cause: '[circular]' });
  });

  it('takes Nest’s own lines, whose start-up talk is for debugging', () => {
    const nest = new NestLogger(log);
    nest.log('Mapped {/x, GET} route', 'RouterExplorer');
    expect(written).toEqual([]);
    nest.error(new InvariantError('odd'), undefined, 'ExceptionsHandler');
    expect(last()).toMatchObject({
      level: 'error',
      message: 'odd',
      nest: 'ExceptionsHandler',
      error: { code: 'internal.invariant' },
    });
    nest.warn('careful', 'Some');
    expect(last()).toMatchObject({ level: 'warn', message: 'careful', nest: 'Some' });
    nest.error('failed', 'stack of it', 'Some');
    expect(last()).toMatchObject({ details: ['stack of it'] });
  });
});
