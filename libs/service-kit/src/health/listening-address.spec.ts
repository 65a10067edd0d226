import { type NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { HealthChecks } from './health-checks.js';
import { HealthServer } from './health-server.js';
import { isListeningHost, listeningAddress } from './listening-address.js';

const of = (address: string, family: 'IPv4' | 'IPv6'): NetworkInterfaceInfo =>
  ({ address, family, netmask: '', mac: '', internal: false, cidr: null }) as NetworkInterfaceInfo;
const interfaces = {
  lo: [of('127.0.0.1', 'IPv4'), of('::1', 'IPv6')],
  eth0: [of('10.9.1.5', 'IPv4'), of('fe80::1', 'IPv6')],
  eth1: [of('10.9.2.7', 'IPv4'), of('fd00::7', 'IPv6')],
};

describe('the address that health and metrics are served on', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['some-host', 'some-host'],
    ['10.9.2.0/24', '10.9.2.7'],
    ['10.9.1.5/32', '10.9.1.5'],
    ['fd00::/64', 'fd00::7'],
  ])('where %s is asked for is %s', (host, address) => {
    expect(listeningAddress(host, interfaces)).toBe(address);
  });

  it('is none where this machine is not in the network', () => {
    expect(listeningAddress('10.9.3.0/24', interfaces)).toBeUndefined();
  });

  it.each(['', '10.9.2.0/33', '10.9.2/24', 'host/24', 'fd00::/129', '10.9.2.0/', '10.9.2.0/24/1'])(
    'is refused as %j before anything starts',
    (text) => {
      expect(isListeningHost(text)).toBe(false);
    },
  );

  it('is this machine’s own in the network, and a network without one is an error that says so', async () => {
    const options = {
      service: 'a',
      version: '1',
      port: 0,
      checks: new HealthChecks(),
      metrics: () => Promise.resolve({ text: '', type: 'text/plain' }),
      onError: () => undefined,
    };
    const server = await HealthServer.start({ ...options, host: '127.0.0.0/8' });
    try {
      expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
    } finally {
      await server.stop();
    }
    await expect(HealthServer.start({ ...options, host: '240.0.0.0/8' })).rejects.toMatchObject({
      code: 'health.cannot-listen',
      message: expect.stringMatching(
        /HEALTH_HOST is the network 240\.0\.0\.0\/8, and this machine has no address in it/,
      ) as string,
    });
  });
});
