import { RequestError, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { namedScript, requireInPackage } from './user-data-scripts.js';

const [SCRIPT, CLASS] = ['lcm-operation-user-data', 'lcm-operation-user-data-class'];
const named = (script: unknown, className: unknown): JsonObject => ({ [SCRIPT]: script, [CLASS]: className }) as JsonObject;

function refused(work: () => unknown): RequestError {
  try {
    work();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a user data script', () => {
  it('is named by both keys, or by neither', () => {
    expect(namedScript(undefined)).toBeUndefined();
    expect(namedScript({ other: 1 })).toBeUndefined();
    expect(namedScript(named('./UserData/x.py', 'Data'))).toEqual({
      path: 'UserData/x.py',
      className: 'Data',
      language: 'python',
    });
    expect(namedScript(named('UserData/x.mjs', 'data'))).toMatchObject({ path: 'UserData/x.mjs', language: 'javascript' });
    for (const [given, missing] of [
      [SCRIPT, CLASS],
      [CLASS, SCRIPT],
    ] as const) {
      expect(refused(() => namedScript({ [given]: 'x' }))).toMatchObject({
        status: 400,
        code: 'user-data.incomplete',
        invalidParams: [{ path: `/additionalParams/${missing}` }],
      });
    }
  });

  it.each(['/etc/passwd.py', '../x.py', 'UserData/../../x.py', 'UserData/x.sh', 'a\\b.py', '', 1, null, 'x.py\0'])(
    'has a path in the package: %j is refused',
    (script) => {
      expect(refused(() => namedScript(named(script, 'Data')))).toMatchObject({ status: 400 });
    },
  );

  it.each(['os.system', '1x', '', 'a b', '__import__("os")', null])('has a class: %j is refused', (className) => {
    expect(refused(() => namedScript(named('x.py', className)))).toMatchObject({ status: 400 });
  });

  it('is in the package, or the answer says what is', () => {
    const script = { path: 'UserData/x.py', className: 'Data', language: 'python' } as const;
    requireInPackage(script, [{ path: 'UserData/x.py' }]);
    expect(refused(() => requireInPackage(script, [{ path: 'UserData/y.py' }]))).toMatchObject({
      status: 400,
      code: 'user-data.no-script',
      message: expect.stringContaining('it has UserData/y.py') as string,
    });
  });
});
