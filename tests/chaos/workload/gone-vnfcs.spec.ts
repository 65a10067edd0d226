import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../random.js';
import { RunLog } from '../run-log.js';
import { ChaosClient } from './chaos-client.js';
import { Customer } from './customer.js';

const complaint = (path: string): JsonObject => ({
  status: 400,
  detail: path,
  invalidParams: [{ path, reason: 'it is unknown' }],
});

describe('a customer whose HEAL got 503 and is sent again', () => {
  let emulator: OpenStackEmulator;
  let folder: string;
  let server: Server;
  let asked: JsonObject[];
  /** The answer to the second request, and whether the record still has the VNFC. */
  let answer: JsonObject;
  let stays: boolean;

  beforeAll(async () => {
    emulator = await OpenStackEmulator.start();
  });
  afterAll(() => emulator.stop());

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windlass-customer-'));
    asked = [];
    server = createServer((request, response) => {
      let text = '';
      const say = (status: number, body: unknown): void => void response.writeHead(status).end(JSON.stringify(body));
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        if (request.url?.endsWith('/heal') === true) {
          asked.push(JSON.parse(text) as JsonObject);
          return asked.length === 1 ? say(503, {}) : say(400, answer);
        }
        if (request.method === 'POST') return say(201, { id: 'instance' });
        if (request.url?.includes('vnf_lcm_op_occs') === true) return say(200, []);
        const there = stays || asked.length === 0;
        const info = { vnfState: 'STARTED', vnfcResourceInfo: there ? [{ id: 'vnfc' }] : [] };
        return say(200, { instantiationState: 'INSTANTIATED', instantiatedVnfInfo: info });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  async function works(): Promise<string> {
    const file = join(folder, 'workload.log');
    let left = 1;
    const { port } = server.address() as AddressInfo;
    const customer = new Customer(
      {
        client: new ChaosClient(`http://127.0.0.1:${port}`, 'token', new AbortController().signal),
        emulator,
        log: new RunLog(file),
        vnfdId: 'vnfd',
        networkId: 'net0',
        available: new Set(['HEAL']),
        take: () => left-- > 0,
        moved: () => undefined,
        overdue: () => false,
        accepted: [],
        unfinished: [],
        passwords: [],
      },
      'customer',
      // With this seed, the customer names the one VNFC.
      Random.of(2, 'customer'),
    );
    await customer.work();
    return readFile(file, 'utf8');
  }
  const named = () => asked.map(({ vnfcInstanceId }) => vnfcInstanceId);

  it('takes the 400 for what it is where a refresh has taken the VNFC off the record meanwhile', async () => {
    [answer, stays] = [complaint('/vnfcInstanceId/0'), false];
    expect(await works()).toContain('HEAL names a VNFC that is not there any more');
    expect(named()).toEqual([['vnfc'], ['vnfc']]);
  });

  it('calls the same answer wrong where the VNFC is on the record', async () => {
    [answer, stays] = [complaint('/vnfcInstanceId/0'), true];
    await expect(works()).rejects.toThrow(/HEAL got .*"status":400/);
    expect(named()).toEqual([['vnfc'], ['vnfc']]);
  });

  it('calls another 400 wrong although the VNFC is gone', async () => {
    for (const path of ['/cause', '/vnfcInstanceId/1']) {
      [answer, stays, asked] = [complaint(path), false, []];
      await expect(works(), path).rejects.toThrow(/HEAL got .*"status":400/);
    }
  });
});
