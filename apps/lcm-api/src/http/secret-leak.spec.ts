import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvariantError } from '@windlass/foundation';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { problemsOf } from './middleware.js';

let server: Server | undefined;
afterEach(() => server?.close());

/** Sends a body to a handler that fails; what is answered and what is logged. */
async function failing(body: string): Promise<{ answered: string; logged: string }> {
  const logged: string[] = [];
  const app = express();
  app.use(express.json());
  app.post('/', (request) => {
    const quoted = JSON.stringify(request.body);
    throw new InvariantError(`odd: ${quoted}`, { cause: new Error(`deep: ${quoted}`) });
  });
  app.use(problemsOf({ error: (message, fields) => void logged.push(message, errorText(fields?.error)) }));
  server = createServer(app);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
  });
  return { answered: await answer.text(), logged: logged.join(' ') };
}

const errorText = (error: unknown): string =>
  error instanceof Error ? `${error.name} ${error.message} ${error.stack} ${errorText(error.cause)}` : '';

describe('an error that quotes a request', () => {
  it('is logged without its parameters and credentials', async () => {
    const accessInfo = { username: 'me', otp: 'one-time' };
    const { logged } = await failing(JSON.stringify({ additionalParams: { pin: 'p-1-n' }, vimConnectionInfo: [{ accessInfo }] }));
    expect(logged).toContain('InvariantError odd: ');
    expect(logged).toContain('deep: ');
    expect(logged).not.toMatch(/p-1-n|one-time/);
  });

  it('tells where a body is no JSON, not what stands there', async () => {
    const { answered } = await failing('{"password":"hunter2",}');
    expect(answered).toContain('the body is no JSON');
    expect(answered).not.toMatch(/hunter2|ssword/);
  });
});
