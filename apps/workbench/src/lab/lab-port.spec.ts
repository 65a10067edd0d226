import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepPort, keptPort, onPort } from './lab-port.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'windlass-lab-port-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

async function listening(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe('the port of the lab of a data folder', () => {
  it('is a free one at first, and the same from then on', async () => {
    expect(await keptPort(dataDir)).toBe(0);
    await keepPort(dataDir, 35_357);
    expect(await keptPort(dataDir)).toBe(35_357);
  });

  it.each(['', 'x', '70000', '-1'])('is a free one where the file holds %j', async (text) => {
    await writeFile(join(dataDir, 'lab-port'), text);
    expect(await keptPort(dataDir)).toBe(0);
  });

  it('is another one where another process has it, which is said', async () => {
    const said: string[] = [];
    const first = await listening(0);
    const second = await onPort(portOf(first), listening, (line) => said.push(line));
    expect(portOf(second)).not.toBe(portOf(first));
    expect(said).toEqual([expect.stringContaining(`another process has the port ${portOf(first)}`)]);
    const port = portOf(first);
    first.close();
    second.close();
    await once(first, 'close');
    const third = await onPort(port, listening, (line) => said.push(line));
    expect([portOf(third), said.length]).toEqual([port, 1]);
    third.close();
  });
});
