import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Assertions by way of `unknown` that product code may hold: each switches the compiler off for one value. It only ever goes down. */
const MAX_DOUBLE_ASSERTIONS = 10;

/** Folders that are no product: the lab, the workbench, and what tests are made with. */
const isProduct = (path: string): boolean =>
  path.endsWith('.ts') && !path.endsWith('.spec.ts') && !/^apps\/(lab|workbench)\/|\/testing\//.test(path);

const sources = ['apps', 'libs'].flatMap((kind) =>
  readdirSync(join(ROOT, kind)).flatMap((name) => {
    const folder = join(kind, name, 'src');
    return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  }),
);

describe('product code', () => {
  it('takes no more values for what the compiler does not see than it did', () => {
    const found = sources.filter(isProduct).flatMap((path) => {
      const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
      return lines.flatMap((line, index) => (/\bas unknown as\b/.test(line) ? [`${path}:${index + 1}`] : []));
    });
    expect(found.length, `${found.join('\n')}\n\nmore than ${MAX_DOUBLE_ASSERTIONS}: see docs/adr/0028`).toBeLessThanOrEqual(
      MAX_DOUBLE_ASSERTIONS,
    );
  });
});
