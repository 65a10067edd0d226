import type { DriverDescription } from '@windlass/mgmt-driver';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RequestClient } from '../request/request-client.js';
import { KeyPair } from '../sealing/key-pair.js';
import { announceDriver } from './driver-announcer.js';
import { ProofKeys } from './proof.js';

const description = { driver: 'example', service: 'example-mgmt', version: '1.0.0' } as DriverDescription;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** An announcement while the key is not enrolled. */
function announcing() {
  let enrol: (() => void) | undefined;
  let asked = 0;
  const client = Object.create(RequestClient.prototype) as RequestClient;
  client.request = () => {
    asked += 1;
    return Promise.resolve({ kept: true }) as Promise<never>;
  };
  const told = new AbortController();
  const enrolled = new Promise<void>((resolve) => (enrol = resolve));
  let isEnrolled = false;
  const ended = announceDriver(
    description,
    {
      client,
      keys: KeyPair.generate(),
      secrets: new ProofKeys('driver'),
      log,
      admitted: () => (isEnrolled ? undefined : enrolled),
    },
    told.signal,
  );
  return {
    ended,
    asked: () => asked,
    enrol: () => {
      isEnrolled = true;
      enrol?.();
    },
    stop: () => told.abort(),
  };
}

it('a driver is announced at the moment when its key is enrolled, with no pause between, and not before', async () => {
  const { ended, asked, enrol } = announcing();
  await turn();
  expect(asked()).toBe(0);
  enrol();
  await turn();
  expect(asked()).toBe(1);
  expect(await ended).toBe(true);
});

it('a driver that is stopped before its key is enrolled waits for nothing', async () => {
  const { ended, asked, stop } = announcing();
  stop();
  expect(await ended).toBe(false);
  expect(asked()).toBe(0);
});
