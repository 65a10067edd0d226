import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { freePort } from '@windlass/foundation/testing';
import { expect, it, onTestFinished } from 'vitest';
import { TestSshd } from './sshd.js';

/** A port on which another server greets. */
async function takenPort(): Promise<number> {
  const other = createServer((socket) => void socket.end('SSH-2.0-another\r\n')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  return (other.address() as AddressInfo).port;
}

it('an sshd whose port was taken before it had it starts on another', async () => {
  const taken = await takenPort();
  const ports = [taken, taken];
  const sshd = await TestSshd.startOn(async () => ports.shift() ?? (await freePort()));
  onTestFinished(() => sshd.stop());
  expect(ports).toEqual([]);
  expect(sshd.port).not.toBe(taken);
  await sshd.restart();
});

it('says so where each is taken', async () => {
  const taken = await takenPort();
  await expect(TestSshd.startOn(() => Promise.resolve(taken))).rejects.toThrow('Address already in use');
});
