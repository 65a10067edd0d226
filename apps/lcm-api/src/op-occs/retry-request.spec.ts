import { RequestError, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { changedParams, refuseBody, retryParamsOf } from './retry-request.js';

const SCALE: JsonObject = {
  type: 'object',
  properties: {
    drain_force: { type: 'boolean', mayChangeAtRetry: true },
    drain_timeout_seconds: { type: 'integer', minimum: 1, mayChangeAtRetry: true },
    pin: { type: 'string', writeOnly: true, mayChangeAtRetry: true },
    replicas: { type: 'integer' },
  },
};
const drivers = [{ operationParameters: { SCALE } } as never];
const scale = {
  operation: 'SCALE' as const,
  request: { aspectId: 'a', additionalParams: { drain_timeout_seconds: 1, replicas: 2, pin: 'p' } },
};

const refused = (run: () => unknown): [string, string][] => {
  try {
    run();
  } catch (error) {
    if (error instanceof RequestError && error.status === 400)
      return (error.invalidParams ?? []).map(({ path, reason }) => [path, reason]);
    throw error;
  }
  return [];
};

describe('the body of a retry', () => {
  it.each([undefined, null, {}, { additionalParams: {} }])('may be none, as the standard has it: %j', (body) => {
    expect(retryParamsOf(body)).toEqual({});
  });

  it.each<[unknown, string]>([
    [{ drain_force: true }, '/drain_force'],
    [{ additionalParams: {}, 'a/b': 1 }, '/a~1b'],
    [{ additionalParams: true }, '/additionalParams'],
    [[], ''],
  ])('is refused where a member is none of a retry: %j', (body, path) => {
    const [first] = refused(() => retryParamsOf(body));
    expect(first?.[0]).toBe(path);
  });

  it('of tasks that have none is refused, and may be empty', () => {
    for (const body of [undefined, null, {}]) refuseBody('rollback', body);
    expect(refused(() => refuseBody('rollback', { force: true }))).toEqual([['', expect.stringContaining('takes no body')]]);
  });
});

describe('parameters that a retry gives anew', () => {
  it('take the place of the request’s, and leave the others', () => {
    expect(changedParams(scale, { drain_force: true, drain_timeout_seconds: 900 }, drivers)).toEqual({
      drain_force: true,
      drain_timeout_seconds: 900,
      replicas: 2,
      pin: 'p',
    });
    expect(scale.request.additionalParams.drain_timeout_seconds).toBe(1);
  });

  it.each(['replicas', 'pin', 'drain_forc', '__proto__', 'constructor'])(
    'are refused where the driver does not let them change: %s',
    (name) => {
      const given = JSON.parse(`{"${name}": 3}`) as JsonObject;
      const [[path, reason] = []] = refused(() => changedParams(scale, given, drivers));
      expect(path).toBe(`/additionalParams/${name}`);
      expect(reason).toContain('may change drain_force, drain_timeout_seconds. Retry without it');
    },
  );

  it('are held against the driver’s schema as at the request', () => {
    expect(
      refused(() => changedParams(scale, { drain_timeout_seconds: 0, drain_force: 'yes' }, drivers))
        .map(([path]) => path)
        .sort(),
    ).toEqual(['/additionalParams/drain_force', '/additionalParams/drain_timeout_seconds']);
  });

  it('are none of an operation whose drivers name none', () => {
    const [[, reason] = []] = refused(() => changedParams({ ...scale, operation: 'HEAL' }, { drain_force: true }, drivers));
    expect(reason).toContain('a retry of HEAL changes no parameter of this VNF');
    expect(refused(() => changedParams(scale, { drain_force: true }, []))).toHaveLength(1);
  });
});
