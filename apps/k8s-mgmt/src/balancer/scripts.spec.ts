import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { haproxyConfiguration } from './haproxy.js';
import { ANSWERS, keepalivedConfiguration } from './keepalived.js';
import * as scripts from './scripts.js';
import { balancer, NODE } from '../testing/balancer.js';

const { LOAD_BALANCER_ANSWERS, KEEPALIVED_RESTART: _unit, ...shell } = scripts;

/** How a program ends on a file or its input, and all that it said. */
function ends(program: string, args: readonly string[], input = ''): { status: number | null; said: string } {
  const { error, status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  if (error !== undefined) throw new Error(`${program} is missing: ./windlass test installs it`, { cause: error });
  return { status, said: stdout + stderr };
}

/** A link of this machine: keepalived looks whether there is such a one. */
const outward = (): string => Object.keys(os.networkInterfaces()).find((name) => name !== 'lo') ?? 'lo';

describe('what lies on the nodes of a load balancer', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-balancer-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };

  it.each(Object.entries(shell))('shellcheck has nothing to say about %s', (_name, text) => {
    expect(ends('shellcheck', ['--shell=bash', '--severity=style', '-'], text)).toEqual({ status: 0, said: '' });
  });

  it('perl compiles what keepalived asks HAProxy by', () => {
    expect(ends('perl', ['-c', '-'], LOAD_BALANCER_ANSWERS)).toEqual({ status: 0, said: '- syntax OK\n' });
  });

  it('HAProxy takes its configuration without a warning', () => {
    const conf = file('haproxy.cfg', haproxyConfiguration(balancer()).text);
    expect(ends('haproxy', ['-c', '-q', '-f', conf])).toEqual({ status: 0, said: '' });
  });

  it('keepalived takes its configuration without a warning', () => {
    const answers = file('answers', LOAD_BALANCER_ANSWERS);
    chmodSync(answers, 0o755);
    const given = { node: NODE, link: { name: outward(), prefixLength: 24 }, balancer: balancer() };
    const conf = file('keepalived.conf', keepalivedConfiguration(given).text.replaceAll(ANSWERS, answers));
    expect(ends('keepalived', ['--config-test', `--use-file=${conf}`])).toEqual({ status: 0, said: '' });
  });
});
