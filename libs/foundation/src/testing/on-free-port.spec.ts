import { describe, expect, it } from 'vitest';
import { endedWith, onFreePort } from './on-free-port.js';

const chooses = (...ports: number[]) => {
  const left = [...ports];
  return () => Promise.resolve(left.shift() ?? 0);
};

describe('a server of a test whose port another process took at the last moment', () => {
  it('is started on another', async () => {
    const start = (port: number) =>
      port === 1
        ? Promise.reject(endedWith('etcd', 'listen tcp 127.0.0.1:1: bind: address already in use'))
        : Promise.resolve(port);
    expect(await onFreePort(chooses(1, 1, 2), start)).toBe(2);
    await expect(onFreePort(chooses(1, 1, 1, 1, 1, 2), start), 'again and again').rejects.toThrow('etcd did not get its port');
  });

  it('and one that ended for another reason is not', async () => {
    const start = (port: number) => (port === 1 ? Promise.reject(endedWith('etcd', 'no such file')) : Promise.resolve(port));
    await expect(onFreePort(chooses(1, 2), start)).rejects.toThrow('etcd ended: no such file');
  });
});
