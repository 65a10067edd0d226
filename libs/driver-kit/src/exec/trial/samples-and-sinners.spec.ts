import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DriverLanguage } from '../languages.js';
import { newDriver } from '../new-driver.js';
import { readExample } from './example.js';
import { tryDriver } from './try-driver.js';
import type { Tried } from './tried.js';

const NODE_MODULES = join(import.meta.dirname, '../../../../../node_modules');
const folder = mkdtempSync(join(tmpdir(), 'windlass-new-driver-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Makes the sample of a language; returns its executable. */
function made(language: DriverLanguage, name: string): string {
  newDriver({ language, folder: join(folder, name), name, service: `${name}-mgmt` });
  // One VM says as much as two, in half the time.
  const file = join(folder, name, 'example.json');
  const example = JSON.parse(readFileSync(file, 'utf8')) as { vnfcs: unknown[] };
  writeFileSync(file, JSON.stringify({ ...example, vnfcs: example.vnfcs.slice(0, 1) }));
  if (language === 'typescript') {
    const types = ['--typeRoots', join(NODE_MODULES, '@types')];
    execFileSync(process.execPath, [join(NODE_MODULES, 'typescript/bin/tsc'), '-p', join(folder, name), ...types]);
  }
  return join(folder, name, 'driver');
}

/** What "driver test" says of an executable, until it says what is looked for. */
async function triedOn(path: string, until: (each: Tried) => boolean = () => false, first = '/usr/bin'): Promise<Tried[]> {
  const environment = { PATH: `${first}:/usr/bin:/bin:${join(process.execPath, '..')}`, LANG: 'C.UTF-8' };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const file = join(path, '../example.json');
  const all: Tried[] = [];
  for await (const each of tryDriver({ path, environment, log }, readExample(readFileSync(file, 'utf8'), file))) {
    all.push(each);
    if (until(each)) break;
  }
  return all;
}

describe('the sample that "driver new" makes', () => {
  it.each(['shell', 'python', 'typescript'] as const)(
    'passes "driver test" in %s: duplicate, kill, stale epoch, cancel, slow, garbage, a hostile plan',
    async (language) => {
      const all = await triedOn(made(language, `sample-${language}`));
      expect(JSON.stringify(all.filter(({ wrong }) => wrong !== undefined))).toBe('[]');
      const titles = all.map(({ title }) => title);
      for (const what of ['duplicate', 'kill', 'stale epoch', 'cancel', 'slow', 'undo', 'garbage', 'hostile plan'])
        expect(
          titles.filter((title) => title.includes(`${what}:`)),
          what,
        ).not.toEqual([]);
    },
    120_000,
  );

  it.each(['mawk', 'gawk'].filter((awk) => existsSync(`/usr/bin/${awk}`)))(
    'passes it in shell whose awk is %s',
    async (awk) => {
      const first = join(folder, awk);
      mkdirSync(first);
      symlinkSync(`/usr/bin/${awk}`, join(first, 'awk'));
      const all = await triedOn(made('shell', `sample-${awk}`), undefined, first);
      expect(JSON.stringify(all.filter(({ wrong }) => wrong !== undefined))).toBe('[]');
    },
    120_000,
  );

  it('is not made where something lies, or with a name that NATS does not take', () => {
    made('shell', 'twice');
    expect(() => made('shell', 'twice')).toThrow(/is not empty/);
    expect(() => made('shell', 'Über.driver')).toThrow(/can't be the name of a driver/);
  });
});

describe('"driver test"', () => {
  let good: string;
  let n = 0;
  beforeAll(() => {
    good = readFileSync(made('python', 'good'), 'utf8');
  });

  it.each<[string, string, string, RegExp, RegExp]>([
    ['prints what is no line', 'def main():\n', 'def main():\n    print("starting")\n', /^describe/, /no JSON: "starting"/],
    [
      'plans by the clock',
      '"target": vnfc["name"]',
      '"target": str(__import__("time").time_ns())',
      /same each time/,
      /another plan/,
    ],
    [
      'plans for another service',
      '"action": "write-notice",',
      '"action": "write-notice", "service": "infra-driver",',
      /within its bounds/,
      /not offered/,
    ],
    ['points at the VIM', '"text": notice["text"]', '"text": {"$from": "vim"}', /within its bounds/, /the source "vim"/],
    ['has a step that can’t be undone', '"undo": True', '"undo": False', /within its bounds/, /has no "undo"/],
    [
      'does not say the same twice',
      '    return {"file": FILE}',
      '    return {"n": __import__("os").getpid()}',
      /duplicate/,
      /it gave/,
    ],
    [
      'does not heed a cancel',
      'if message.get("tell") == "cancel":',
      'if message.get("tell") == "cancel" and __import__("time").sleep(60):',
      /cancel/,
      /did not end within/,
    ],
    [
      'answers any question',
      '    else:\n        say("failed", kind="terminal"',
      '    else:\n        say("answer", answer={})\n    if False:\n        say("failed", kind="terminal"',
      /garbage: a question/,
      /says "answer"/,
    ],
    [
      'puts values into scripts',
      `'install -D -m 0644 "$1" "$2"'`,
      `f'echo "{given["text"]}" > {FILE}'`,
      /hostile plan/,
      /has a value of the request in it/,
    ],
    [
      'runs values as commands',
      '    notice = context["instantiateParams"]["notice"]\n',
      '    notice = context["instantiateParams"]["notice"]\n    __import__("os").popen("echo " + notice["text"] + " 2>&1").read()\n',
      /hostile plan/,
      /ran it/,
    ],
  ])(
    'finds a driver that %s',
    async (_, from, to, title, says) => {
      const path = made('python', `sinner-${++n}`);
      const text = readFileSync(path, 'utf8');
      expect(good.replaceAll('good', `sinner-${n}`)).toBe(text);
      expect(text).toContain(from);
      writeFileSync(path, text.replace(from, to));
      const isFound = (each: Tried): boolean => title.test(each.title) && says.test(each.wrong ?? '');
      const all = await triedOn(path, isFound);
      expect(all.some(isFound), JSON.stringify(all.filter(({ wrong }) => wrong !== undefined))).toBe(true);
    },
    120_000,
  );
});
