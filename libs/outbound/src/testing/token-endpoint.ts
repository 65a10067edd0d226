import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { testServer, type SeenRequest, type TestServer } from './test-server.js';

/** An OAuth 2.0 token endpoint (RFC 6749) for one client, which refuses what a real endpoint refuses. */
export interface TokenEndpoint extends TestServer {
  /** Whether a request has a valid token of this endpoint. */
  accepts(request: Pick<SeenRequest, 'headers'>): boolean;
  /** Revokes all tokens given so far. */
  revokeAll(): void;
  readonly given: readonly string[];
}

/** Starts an endpoint. Tokens are valid for `lives` seconds. */
export async function tokenEndpoint(client: { id: string; password: string; lives?: number }): Promise<TokenEndpoint> {
  const good = new Set<string>();
  const given: string[] = [];
  const server = await testServer((request, response) => {
    const refusal = refusalOf(request, client);
    if (refusal !== undefined) return answer(response, refusal.status, { error: refusal.error });
    const token = randomBytes(24).toString('base64url');
    good.add(token);
    given.push(token);
    answer(response, 200, { access_token: token, token_type: 'Bearer', expires_in: client.lives ?? 3_600 });
  });
  return {
    ...server,
    given,
    accepts: ({ headers }) => good.has(/^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''),
    revokeAll: () => good.clear(),
  };
}

function refusalOf(
  { method, headers, body }: SeenRequest,
  client: { id: string; password: string },
): { status: number; error: string } | undefined {
  if (method !== 'POST') return { status: 405, error: 'invalid_request' };
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return { status: 400, error: 'invalid_request' };
  const [, encoded = ''] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? [];
  const [user = '', password = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  // RFC 6749 2.3.1: id and password are form-encoded.
  const decode = (text: string) => new URLSearchParams(`x=${text}`).get('x');
  if (decode(user) !== client.id || decode(password) !== client.password) return { status: 401, error: 'invalid_client' };
  const grant = new URLSearchParams(body).getAll('grant_type');
  return grant.length === 1 && grant[0] === 'client_credentials' ? undefined : { status: 400, error: 'unsupported_grant_type' };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(status === 401 ? { 'www-authenticate': 'Basic realm="tokens"' } : {}),
  });
  response.end(JSON.stringify(body));
}
