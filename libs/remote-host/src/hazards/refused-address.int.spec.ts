import { AddressRules, defaultOutboundRules, type OutboundRules } from '@windlass/outbound';
import { cmd } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf } from '@windlass/mgmt-driver/testing/contract';
import { seconds } from '@windlass/foundation';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { setScene } from '../testing/scene.js';

const scene = setScene();

/** A look at this machine's sshd, by rules. */
const look = (rules: Partial<OutboundRules>, target: { address?: string; port?: number } = {}) => {
  const rig = scene.rig({}, { rules: new AddressRules({ ...defaultOutboundRules, ...rules }) });
  return rig.hosts.host({ ...rig.target, ...target }, hostRun()).run(cmd`echo in`, { within: seconds(20) });
};

describe('a machine at an address that nobody allowed', () => {
  it.each(['127.0.0.1', 'localhost', '::1', '::ffff:127.0.0.1'])('is not connected to: %s', async (address) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '::', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const failure = await failureOf(look({}, { address, port }));
      expect(failure).toMatchObject({ name: 'TerminalError', code: 'remote.address-refused' });
      expect(failure.message).toContain('VIM_ALLOW');
      expect(connections).toBe(0);
    } finally {
      server.close();
    }
  });

  it('is connected to where its operator allows it, at that port alone', async () => {
    const { port } = scene.sshd;
    expect((await look({ allow: [`127.0.0.1:${port}`] })).stdout).toBe('in\n');
    expect((await look({ allow: ['127.0.0.0/8'] }, { address: 'localhost' })).stdout).toBe('in\n');
    expect(await failureOf(look({ allow: [`127.0.0.1:${port + 1}`] }))).toMatchObject({ code: 'remote.address-refused' });
  });
});
