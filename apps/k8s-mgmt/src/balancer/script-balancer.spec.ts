import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BACK_ENDS_ARE, CHANGE_BACK_ENDS } from './script-balancer.js';

/** As scripts of the contract write it, in our own words. */
const WRITTEN = `global
    maxconn 2000

defaults
    mode tcp
    timeout connect 5s
    timeout client 30s
    timeout server 30s

frontend api
    bind 127.0.0.1:16443
    default_backend masters

backend masters
    balance roundrobin
    # server old 10.10.0.25:6443 check
    server master24 10.10.0.24:6443 check
    server second-one 10.10.0.25:6443 check inter 5s
    server master250 10.10.0.250:6443 check inter 5s

listen statistics
    bind 127.0.0.1:1080
    mode http
    server self 10.10.0.25:64430
    stats enable
`;

const M25 = 'master25 10.10.0.25';
const M26 = 'master26 10.10.0.26';

describe('back ends of the HAProxy that a script of the package set up', () => {
  let folder: string;
  let conf: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-back-ends-'));
    conf = path.join(folder, 'haproxy.cfg');
    // The program that would have HAProxy read it again.
    writeFileSync(path.join(folder, 'systemctl'), `#!/bin/sh\necho "$@" >> ${folder}/reloads\n`, { mode: 0o755 });
    writeFileSync(conf, WRITTEN);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (text: string, listed: string[], unlisted: string[]) =>
    spawnSync('/bin/bash', ['-s', conf, listed.join('\n'), unlisted.join('\n')], {
      input: text,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}:${process.env.PATH ?? ''}` },
    });
  const change = (listed: string[], unlisted: string[]) => {
    const { status, stdout, stderr } = run(CHANGE_BACK_ENDS, listed, unlisted);
    expect(status, stderr).toBe(0);
    return stdout;
  };
  const areSo = (listed: string[], unlisted: string[]) => run(BACK_ENDS_ARE, listed, unlisted).status === 0;
  const servers = () =>
    readFileSync(conf, 'utf8')
      .split('\n')
      .flatMap((line) => /^\s*(server .*)$/.exec(line)?.[1] ?? []);

  it.each(Object.entries({ BACK_ENDS_ARE, CHANGE_BACK_ENDS }))('shellcheck has nothing to say about %s', (_name, text) => {
    const said = spawnSync('shellcheck', ['--shell=bash', '--severity=style', '-'], { input: text, encoding: 'utf8' });
    expect(said.error).toBeUndefined();
    expect(said.stdout).toBe('');
  });

  it('lose a master by its address, whatever its name there, and nobody whose address only begins so', () => {
    expect(areSo([], [M25])).toBe(false);
    change([], [M25]);
    expect(servers()).toEqual([
      'server master24 10.10.0.24:6443 check',
      'server master250 10.10.0.250:6443 check inter 5s',
      'server self 10.10.0.25:64430',
    ]);
    expect(areSo([], [M25])).toBe(true);
    expect(readFileSync(path.join(folder, 'reloads'), 'utf8')).toBe('reload-or-restart haproxy\n');
  });

  it('get it again, with the options that the others have; twice is once', () => {
    change([], [M25]);
    change([M25], []);
    change([M25], []);
    expect(servers().slice(0, 3)).toEqual([
      'server master24 10.10.0.24:6443 check',
      'server master250 10.10.0.250:6443 check inter 5s',
      'server master25 10.10.0.25:6443 check inter 5s',
    ]);
    expect(areSo([M25], [])).toBe(true);
  });

  it('get one in the place of the only one', () => {
    writeFileSync(conf, WRITTEN.replace(/^ {4}server (second|master250).*\n/gm, ''));
    change([M26], ['master24 10.10.0.24']);
    expect(servers()).toEqual(['server master26 10.10.0.26:6443 check', 'server self 10.10.0.25:64430']);
  });

  it('are as they were where HAProxy refuses what would come of it', () => {
    const broken = WRITTEN.replace('balance roundrobin', 'balance as-you-like');
    writeFileSync(conf, broken);
    const { status, stderr } = run(CHANGE_BACK_ENDS, [M26], []);
    expect(status).toBe(1);
    expect(stderr).toContain("the package's script wrote the rest of it");
    expect(readFileSync(conf, 'utf8')).toBe(broken);
    expect(existsSync(path.join(folder, 'reloads'))).toBe(false);
  });

  it('are none where another load balancer stands, which is said', () => {
    rmSync(conf);
    expect(areSo([], [M25])).toBe(false);
    expect(change([], [M25])).toBe('no HAProxy with back ends at port 6443\n');
    writeFileSync(conf, 'backend other\n    server one 10.10.0.24:80\n');
    expect(areSo([], [])).toBe(false);
    expect(change([M25], [])).toBe('no HAProxy with back ends at port 6443\n');
  });
});
