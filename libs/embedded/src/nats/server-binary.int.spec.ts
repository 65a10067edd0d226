import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { testFolder } from '../testing/index.js';
import { ensureNatsServer, isNewEnough, takeFromDebian } from './server-binary.js';

const folder = testFolder();

describe('the nats-server program', () => {
  afterAll(() => folder.remove());

  it('is taken from Debian’s package without installing it', async () => {
    const lines: string[] = [];
    const program = await takeFromDebian(join(folder.path, 'cache', 'nats-server'), (line) => lines.push(line));
    expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toMatch(/^nats-server: v2\./);
    expect(lines[0]).toContain('taking it from Debian');
  });

  it('is found again without another download', async () => {
    const lines: string[] = [];
    const found = await ensureNatsServer((line) => lines.push(line));
    expect(await ensureNatsServer((line) => lines.push(line))).toBe(found);
    expect(lines.length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['nats-server: v2.9.10', true],
    ['nats-server: v2.12.1', true],
    ['nats-server: v3.0.0', true],
    ['nats-server: v2.8.4', false],
    ['nats-server: v1.4.1', false],
    ['something else', false],
  ])('is new enough or not: %s', (line, expected) => {
    expect(isNewEnough(line)).toBe(expected);
  });
});
