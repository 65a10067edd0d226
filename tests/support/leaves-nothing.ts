import childProcess from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { afterAll, vi } from 'vitest';

/**
 * A setup file of vitest, for suites whose files share a process. A file fails that leaves the process changed; otherwise a later file would fail,
 * and only on some machines.
 */
const SHARED: Readonly<Record<string, object>> = {
  process,
  'process.stdout': process.stdout,
  'process.stderr': process.stderr,
  console,
  child_process: childProcess,
  fs,
  'fs.promises': fs.promises,
  http,
  'http.Server.prototype': http.Server.prototype,
  'https.Server.prototype': https.Server.prototype,
  'net.Server.prototype': net.Server.prototype,
  'net.Socket.prototype': net.Socket.prototype,
  'Date.prototype': Date.prototype,
};

/** Functions that the test runner itself replaces in a worker. */
const NOT_BY_TESTS = new Set(['process.chdir']);

const before = stateOfProcess();

afterAll(() => {
  const left = changes(before, stateOfProcess());
  if (vi.isFakeTimers()) left.push('the fake timers');
  if (left.length > 0) throw new Error(`other files run in this process, and this one leaves changed: ${left.join(', ')}`);
});

/** The functions of shared objects, environment variables and the working folder. Getters are not called: some make a new value at each call. */
function stateOfProcess(): Map<string, unknown> {
  const state = new Map<string, unknown>([['the working folder', process.cwd()]]);
  for (const [name, value] of Object.entries(process.env)) state.set(`process.env.${name}`, value);
  for (const [where, object] of Object.entries(SHARED))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(object)) as [string, PropertyDescriptor][])
      if (typeof value === 'function' && !NOT_BY_TESTS.has(`${where}.${name}`)) state.set(`${where}.${name}`, value);
  return state;
}

const changes = (from: ReadonlyMap<string, unknown>, to: ReadonlyMap<string, unknown>): string[] =>
  [...new Set([...from.keys(), ...to.keys()])].filter((name) => from.get(name) !== to.get(name));
