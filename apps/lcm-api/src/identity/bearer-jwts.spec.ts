import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { millis, type JsonObject } from '@windlass/foundation';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BearerJwts, type JwtSettings } from './bearer-jwts.js';

/** An OAuth2 server as far as a resource server sees it: keys at a URL. */
let server: Server;
let keys: JWK[] | 'broken';
let fetched: number;
let settings: JwtSettings;
const lines: string[] = [];
const line = (message: string): void => void lines.push(message);
const log = { info: line, warn: line, error: line };

beforeEach(async () => {
  [keys, fetched, lines.length] = [[], 0, 0];
  server = createServer((_request, response) => {
    fetched++;
    response.writeHead(keys === 'broken' ? 500 : 200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  settings = {
    issuer: 'https://issuer.example',
    audience: 'windlass',
    jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    algorithms: ['ES256', 'RS256'],
    userClaim: 'sub',
    tenantClaim: 'project_id',
    rolesClaim: 'realm.roles',
    roles: { 'vnfm-admin': 'admin', 'vnfm-user': 'operator' },
  };
});
afterEach(() => server.close());

interface Signer {
  kid: string | undefined;
  key: CryptoKey;
}

/** A key that the issuer shows from now on. */
async function newKey(kid: string | undefined): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  if (keys !== 'broken') keys.push({ ...(await exportJWK(publicKey)), alg: 'ES256', ...(kid === undefined ? {} : { kid }) });
  return { kid, key: privateKey };
}

const CLAIMS = { sub: 'anna', project_id: 'p1', realm: { roles: ['vnfm-user', 'offline'] } };

function token(
  by: Signer,
  claims: JsonObject = CLAIMS,
  more: { issuer?: string; audience?: string; expires?: string } = {},
): Promise<string> {
  const { issuer = settings.issuer, audience = settings.audience, expires = '5m' } = more;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', ...(by.kid === undefined ? {} : { kid: by.kid }) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(by.key);
}

const jwts = (more: Partial<JwtSettings> = {}): BearerJwts => new BearerJwts({ ...settings, ...more }, log, millis(0));
const who = (way: BearerJwts, text: string): Promise<unknown> => way.authenticate({ kind: 'bearer', token: text });

describe('a JWT of the issuer', () => {
  it('says who it is, of which project, with which roles, by the claims that are named', async () => {
    const signer = await newKey('k1');
    expect(await who(jwts(), await token(signer))).toEqual({ tenant: 'p1', user: 'anna', roles: ['operator'] });
    const scoped = await token(signer, { ...CLAIMS, scope: 'openid vnfm-admin', 'https://x.example/p': 'p2' });
    expect(await who(jwts({ rolesClaim: 'scope', tenantClaim: 'https://x.example/p' }), scoped)).toMatchObject({
      tenant: 'p2',
      roles: ['admin'],
    });
  });

  it('is known when the issuer has a new key, and not any more when its key is withdrawn and the keys have grown old', async () => {
    const way = jwts();
    const [first, second] = [await newKey('k1'), { ...(await newKey('k2')) }];
    expect(await who(way, await token(first))).toBeDefined();
    expect(fetched).toBe(1);
    const third = await newKey('k3');
    expect(await who(way, await token(third))).toBeDefined();
    expect(await who(way, await token(second))).toBeDefined();
    expect(fetched).toBe(2);
    keys = [];
    expect(await who(jwts(), await token(first))).toBeUndefined();
  });

  it('that names no key is tried with each', async () => {
    await newKey(undefined);
    const second = await newKey(undefined);
    expect(await who(jwts(), await token(second))).toBeDefined();
  });

  it('without a project is of no use: 403', async () => {
    const given = await token(await newKey('k1'), { sub: 'anna' });
    await expect(who(jwts(), given)).rejects.toMatchObject({ status: 403, code: 'auth.unscoped' });
  });
});

describe('what is no token of the issuer’s', () => {
  it('is refused: another issuer, another audience, expired, without an end, of an unknown key, changed', async () => {
    const signer = await newKey('k1');
    const stranger = { kid: 'k1', key: (await generateKeyPair('ES256')).privateKey };
    const good = await token(signer);
    const [head = '', , signature = ''] = good.split('.');
    const forged = Buffer.from(JSON.stringify({ ...CLAIMS, iss: settings.issuer, aud: settings.audience, exp: 4e9 })).toString(
      'base64url',
    );
    const endless = await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(settings.issuer)
      .setAudience(settings.audience)
      .sign(signer.key);
    const refused = [
      await token(signer, CLAIMS, { issuer: 'https://other.example' }),
      await token(signer, CLAIMS, { audience: 'somebody' }),
      await token(signer, CLAIMS, { expires: '-5m' }),
      endless,
      await token(stranger),
      await token({ ...signer, kid: 'k9' }),
      `${head}.${forged}.${signature}`,
      'a.b.c',
      'no-jwt',
    ];
    for (const given of refused) expect(await who(jwts(), given), given).toBeUndefined();
    expect(await who(jwts(), good)).toBeDefined();
  });

  it('is refused without a signature, and with one that anybody could make of the public key', async () => {
    const signer = await newKey('k1');
    const unsecured = new UnsecuredJWT(CLAIMS)
      .setIssuer(settings.issuer)
      .setAudience(settings.audience)
      .setExpirationTime('5m')
      .encode();
    const shared = new TextEncoder().encode(JSON.stringify(keys));
    const confused = await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: 'HS256', kid: signer.kid ?? '' })
      .setIssuer(settings.issuer)
      .setAudience(settings.audience)
      .setExpirationTime('5m')
      .sign(shared);
    for (const given of [unsecured, confused]) expect(await who(jwts(), given)).toBeUndefined();
  });

  it('is left to other ways where it is no bearer', async () => {
    const given = await token(await newKey('k1'));
    expect(await jwts().authenticate({ kind: 'x-auth-token', token: given })).toBeUndefined();
    expect(fetched).toBe(0);
  });
});

it('says 503 while the keys can’t be fetched, and the log says so without the token', async () => {
  const given = await token(await newKey('k1'));
  keys = 'broken';
  await expect(who(jwts(), given)).rejects.toMatchObject({ status: 503, code: 'auth.keys-away', retryAfter: 5_000 });
  expect(lines).toEqual(['the keys of the OAuth2 server could not be fetched']);
  server.close();
  await expect(who(jwts({ jwksUrl: 'http://127.0.0.1:1/keys' }), given)).rejects.toMatchObject({ status: 503 });
});
