import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { ansibleFinding } from './ansible-server.js';

/** What is found of a server that greets so. */
async function found(greet: string | undefined): Promise<Awaited<ReturnType<typeof ansibleFinding>>> {
  const server = createServer((socket) => (greet === undefined ? socket.end() : socket.write(greet))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await ansibleFinding('127.0.0.1', port);
  } finally {
    server.close();
  }
}

it('an Ansible server is well whose SSH answers, and a warning with what to do otherwise', async () => {
  expect(await found('SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n')).toMatchObject({
    check: 'ansible.server',
    status: 'ok',
    says: expect.stringContaining('OpenSSH_9.2p1') as string,
  });
  expect(await found('220 mail\r\n')).toMatchObject({ status: 'warning' });
  expect(await found(undefined)).toMatchObject({
    status: 'warning',
    says: expect.stringContaining('closed without a word') as string,
  });
  const gone = await ansibleFinding('127.0.0.1', 1);
  expect(gone).toMatchObject({ status: 'warning', todo: expect.stringContaining('correct ansible.ip_address') as string });
});
