import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { testFolder } from '@windlass/embedded/testing';
import { transformSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { OwnLines } from './own-lines.js';

const folder = testFolder();
afterAll(() => folder.remove());

const SOURCE = `// a line that the built file has not\nexport function fails(what: string): never {\n  throw new Error(what);\n}\n`;

/** A source and what was built of it, as the compiler and the bundler leave them. */
function built(name: string): string {
  const { code, map } = transformSync(SOURCE, {
    loader: 'ts',
    sourcemap: 'external',
    sourcefile: `../src/${name}.ts`,
    format: 'cjs',
    minify: true,
  });
  const path = join(folder.path, `${name}.js`);
  writeFileSync(path, code);
  writeFileSync(`${path}.map`, map);
  return path;
}

/** The trace that a process with {@link showOwnLines} would see. */
function traceOf(path: string): string | undefined {
  const before = Error.prepareStackTrace;
  const lines = new OwnLines();
  const { fails } = createRequire(path)(path) as { fails: (what: string) => never };
  Error.prepareStackTrace = (error, calls) => lines.trace(error, calls);
  try {
    return fails('of no use');
  } catch (error) {
    return (error as Error).stack;
  } finally {
    Error.prepareStackTrace = before;
  }
}

describe('a trace that says where in a built file, and not where in our sources', () => {
  it('has the line and the column of the source', () => {
    const trace = traceOf(built('plain'));
    expect(trace?.split('\n')[0]).toBe('Error: of no use');
    expect(trace).toContain(join(folder.path, '../src/plain.ts:3:9'));
  });

  it('is shown as it is where the map is broken', () => {
    const path = built('broken');
    writeFileSync(`${path}.map`, '{');
    expect(traceOf(path)).toMatch(/^Error: of no use\n {4}at .*broken\.js:\d+:\d+/);
  });

  it('shows an error that can’t be told in words', () => {
    const mute = Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(new OwnLines().trace(mute, [])).toBe('Error');
  });
});
