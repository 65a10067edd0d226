import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const DECISIONS = join(ROOT, 'docs/adr');
const INDEX = join(DECISIONS, 'README.md');

/** In the order in which the index has them. */
const THEMES = [
  'engine',
  'operations',
  'messages',
  'drivers',
  'REST',
  'record',
  'secrets',
  'packages',
  'OpenStack',
  'clusters',
  'storage and registries',
  'containers',
  'workspace',
  'lab and tests',
  'dashboard',
];

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** Pages that a page links, by their paths; no other site's. */
const linkedIn = (page: string): string[] =>
  [...textOf(page).matchAll(/\]\((?!\w+:)([^)#\s]+\.md)(?:#[^)]*)?\)/g)].map(([, link = '']) => join(dirname(page), link));

/** Folders of the documentation that have an index of their own. */
const FOLDERS = ['adr', 'contracts'];

interface Decision {
  file: string;
  number: number;
  title: string;
  status: string;
  theme: string;
}

/** What the first lines of a decision say: `# 7. Title`, then `Accepted 2026-11-22. Theme: engine.` or `Replaced by [ADR 8](0008-name.md) ...`. */
function decisionIn(file: string): Decision {
  const [heading = '', , line = ''] = textOf(join(DECISIONS, file)).split('\n');
  const [, number = '', title = ''] = /^# (\d+)\. (.+)$/.exec(heading) ?? [];
  const [, status = '', theme = ''] =
    /^((?:Accepted|Replaced by \[ADR \d+\]\([\w-]+\.md\)) \d{4}-\d\d-\d\d)\. Theme: (.+)\.$/.exec(line) ?? [];
  return { file, number: Number(number), title, status, theme };
}

const decisions = readdirSync(DECISIONS)
  .filter((file) => /^\d{4}-/.test(file))
  .sort()
  .map(decisionIn);

/** The index by themes, from the decisions' own first lines. */
function index(): string {
  const section = (theme: string): string => {
    const rows = decisions.filter((each) => each.theme === theme);
    return [`## ${theme.charAt(0).toUpperCase()}${theme.slice(1)}`, '', ...rows.map(lineOf), ''].join('\n');
  };
  return ['# Decisions', '', 'By theme; numbers are in the order of time.', '', ...THEMES.map(section)].join('\n');
}

const lineOf = ({ file, number, title, status }: Decision): string =>
  `- [${number}. ${title}](${file})${status.startsWith('Replaced') ? ` (${status})` : ''}`;

describe('a page of the documentation', () => {
  it('is linked by docs/README.md, or by the index of its folder', () => {
    const first = join(ROOT, 'docs/README.md');
    const linked = new Set([
      first,
      ...linkedIn(first),
      ...FOLDERS.flatMap((folder) => linkedIn(join(ROOT, 'docs', folder, 'README.md'))),
    ]);
    const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
    expect(pages.filter((page) => !linked.has(join(ROOT, 'docs', page)))).toEqual([]);
  });
});

describe('a decision', () => {
  it.each(decisions)('says its status, its date and its theme: $file', ({ file, number, title, status, theme }) => {
    expect(number, 'its heading has the number of its file').toBe(Number(file.slice(0, 4)));
    expect(title).not.toBe('');
    expect(status, 'its third line is `Accepted <date>. Theme: <theme>.`').not.toBe('');
    expect(THEMES).toContain(theme);
  });

  it('has a number of its own', () => {
    const numbers = decisions.map(({ number }) => number);
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  });

  it('stands in the index by themes, docs/adr/README.md (written anew with UPDATE_DECISIONS=1)', () => {
    if (process.env.UPDATE_DECISIONS === '1') writeFileSync(INDEX, index());
    expect(textOf(INDEX)).toBe(index());
  });
});
