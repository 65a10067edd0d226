import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ONE_PROCESS, servicePrograms } from './service-program.js';

const MADE_OF = ['apps/lcm-api/dist/main.js', 'libs/saga/dist/index.js'];
const LIST = 'apps/windlass/dist/services/made-of.json';
let home: string;

function lay(path: string, text: string, seconds: number): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
  utimesSync(join(home, path), seconds, seconds);
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'windlass-programs-'));
  for (const path of MADE_OF) lay(path, '', 1_000);
  lay(LIST, JSON.stringify(MADE_OF), 1_001);
});
afterEach(() => rmSync(home, { recursive: true }));

const programs = (): string[] => ['lcm-api', ONE_PROCESS].map(servicePrograms(home)).map((path) => path.slice(home.length + 1));
const AS_COMPILED = ['apps/lcm-api/dist/main.js', 'apps/windlass/dist/deployment/one-process.js'];

describe("the programs that were made of this build's files", () => {
  it('are the ones that are started', () => {
    expect(programs()).toEqual(['apps/windlass/dist/services/lcm-api.js', 'apps/windlass/dist/services/one-process.js']);
  });
});

describe('programs that a stale file is in', () => {
  it('are not started: what the compiler wrote is', () => {
    lay('libs/saga/dist/index.js', 'built anew', 1_002);
    expect(programs()).toEqual(AS_COMPILED);
  });

  it.each([
    ['a file of them is gone', () => rmSync(join(home, 'libs/saga/dist/index.js'))],
    ['they were never made', () => rmSync(join(home, LIST))],
    ['their list was cut short', () => lay(LIST, '["apps/lcm-api/di', 1_001)],
  ])('nor where %s', (_, spoil) => {
    spoil();
    expect(programs()).toEqual(AS_COMPILED);
  });
});
