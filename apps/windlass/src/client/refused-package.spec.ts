import { testFolder } from '@windlass/embedded/testing';
import { createServer, type Server } from 'node:http';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from './api-client.js';

const folder = testFolder();
const FILE = join(folder.path, 'package.zip');
writeFileSync(FILE, 'no zip');
afterAll(() => folder.remove());

describe('a package that is refused', () => {
  let asked: string[];
  let server: Server;
  let client: ApiClient;
  let uploads: number;
  let shown: object;
  const warnings: string[] = [];

  beforeEach(async () => {
    asked = [];
    uploads = 202;
    shown = { onboardingState: 'CREATED', onboardingFailureDetails: { code: 'csar.no-zip', detail: 'it is no zip' } };
    server = createServer((request, response) => {
      asked.push(request.method ?? '');
      request.resume().on('end', () => {
        const [status, body] = {
          POST: [201, { id: 'p' }],
          PUT: [uploads, { detail: 'too large' }],
          GET: [200, shown],
          DELETE: [204, ''],
        }[request.method ?? ''] as [number, object];
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(status === 204 ? '' : JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 't', (line) => warnings.push(line));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('when it is read leaves no package in CREATED', async () => {
    await expect(client.onboard(FILE)).rejects.toThrow('the package was refused: it is no zip');
    expect(asked).toEqual(['POST', 'PUT', 'GET', 'DELETE']);
  });

  it('when it is sent leaves none either', async () => {
    uploads = 413;
    await expect(client.onboard(FILE)).rejects.toThrow('too large');
    expect(asked).toEqual(['POST', 'PUT', 'DELETE']);
  });

  it('because its file is not there makes none', async () => {
    await expect(client.onboard(join(folder.path, 'none.zip'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(asked).toEqual([]);
  });

  it('stays where nobody knows yet what became of it', async () => {
    uploads = 503;
    await expect(client.onboard(FILE)).rejects.toMatchObject({ code: 'api.failed', status: 503 });
    expect(asked).toEqual(['POST', 'PUT']);
    // Who asks again where the API is busy does not where it has failed.
    uploads = 500;
    await expect(client.onboard(FILE)).rejects.toMatchObject({ code: 'api.failed', status: 500 });
  });
});
