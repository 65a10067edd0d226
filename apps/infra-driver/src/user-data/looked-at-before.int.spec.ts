import { describe, expect, it } from 'vitest';
import { Runnable } from './runnable.js';

const runnable = new Runnable('/usr/bin/python3');

const asked = (text: string | undefined, modules: string[] = [], className = 'Data') =>
  runnable.of({
    language: 'python',
    asked: { tenant: 'one', path: 'UserData/a.py', className, modules, ...(text === undefined ? {} : { text }) },
  });

describe('a script that a request names', () => {
  it.each([
    [
      'does not compile',
      'class Data:\n    def f(:\n        pass\n',
      /^UserData\/a\.py is no Python that can be run here: SyntaxError: .*line 2/,
    ],
    ['is of Python 2', 'class Data: pass\nprint "x"\n', /line 2 \(print "x"\)/],
    ['is indented by chance', 'class Data:\n    x = 1\n  y = 2\n', /IndentationError/],
    ['returns outside of a function', 'class Data: pass\nreturn 1\n', /line 2/],
    ['holds a NUL', 'class Data: pass\n\0', /is no Python that can be run here/],
  ])('is refused where it %s', async (_, text, reason) => {
    expect(await asked(text)).toMatchObject({ runnable: false, reason: expect.stringMatching(reason) as string });
  });

  it('is refused where a module is not installed, which is named, and whether it is one of a package of modules', async () => {
    const { runnable: can, reason } = await asked('class Data: pass', ['json', 'nowhere_at_all', 'json.nowhere', 'nowhere.deep']);
    expect([can, reason]).toEqual([
      false,
      expect.stringMatching(
        /^UserData\/a\.py imports what is not installed .*: nowhere_at_all, json\.nowhere, nowhere\.deep\. .*USER_DATA_PYTHON/,
      ),
    ]);
  });

  it('is refused without its class, and the classes are named', async () => {
    expect(await asked('class Date: pass\n')).toEqual({
      runnable: false,
      reason: 'UserData/a.py: there is no class Data in it; it has Date',
      lacksClass: true,
    });
  });

  it.each([
    ['is there', 'class Data: pass'],
    ['is imported', 'from b import Data'],
    ['may come by a star', 'from b import *'],
    ['is made by a call', 'Data = type("X", (), {})'],
    ['is set by its name', 'globals()["Data"] = 1'],
    ['is in a try', 'try:\n    class Data: pass\nexcept Exception: pass'],
    ['can not be seen, for the script is large', undefined],
  ])('is taken where the class %s, and nothing of it is run', async (_, text) => {
    expect(await asked(text === undefined ? text : `${text}\nimport sys; sys.exit(1)\n`, ['json'])).toEqual({ runnable: true });
  });

  it('that is too deep to be looked at is left to the step that runs it', async () => {
    expect(await asked(`x = ${'('.repeat(50_000)}1${')'.repeat(50_000)}\nclass Data: pass`)).toMatchObject({});
    expect(await asked(`x = ${'-'.repeat(60_000)}1\nclass Data: pass`)).toBeDefined();
  });
});
