import { readFile } from 'node:fs/promises';
import { ConfigError } from '@windlass/service-kit';
import { readTokens, readUsers } from '@windlass/service-kit';
import type { AccessConfig } from './access-config.js';
import { Authentication } from './authentication.js';
import { BasicUsers } from './basic-users.js';
import type { BearerJwts } from './bearer-jwts.js';
import type { KeystoneTokens } from './keystone-tokens.js';
import { StaticTokens, staticToken } from './static-tokens.js';
import { WatchedFile } from './watched-file.js';
import type { AccessLog } from '../http/access-log.js';
import type { WayIn } from './way-in.js';

/** Who may ask, and what ends with the service. */
export interface Access {
  authentication: Authentication;
  close(): void;
}

/**
 * All configured ways to sign in. Those that cost nothing are tried first.
 * @throws ConfigError where there is none and authentication is not switched off, and for variables that do not belong together
 */
export async function accessOf(config: AccessConfig, log: AccessLog): Promise<Access> {
  const { token, project, failedAttempts: attempts, requestsPerSecond: perSecond, authenticationIsOff } = config;
  const keystone = await keystoneOf(config, log);
  const ways: WayIn[] = [
    ...(token === undefined ? [] : [staticToken(token, { tenant: project, user: 'token', roles: ['admin'] })]),
    ...(await fileWays(config, log)),
    ...(await jwtOf(config, log)),
    ...(keystone === undefined ? [] : [keystone]),
  ];
  const limits = { attempts, ...(perSecond === undefined ? {} : { perSecond }) };
  if (authenticationIsOff && ways.length > 0)
    throw new ConfigError(['LCM_AUTHENTICATION_IS_OFF is true beside a way of authentication; keep one of them']);
  if (!authenticationIsOff && ways.length === 0)
    throw new ConfigError([
      'nobody could authenticate: give LCM_TOKEN, LCM_TOKENS_FILE, LCM_USERS_FILE, LCM_KEYSTONE_URL or LCM_JWT_ISSUER; or say LCM_AUTHENTICATION_IS_OFF=true',
    ]);
  if (authenticationIsOff) log.warn('authentication is off: whoever reaches this service is an admin', { project });
  const everybody = authenticationIsOff ? { tenant: project, user: 'anyone', roles: ['admin'] as const } : undefined;
  return {
    authentication: new Authentication({ ways, ...limits, ...(everybody === undefined ? {} : { everybody }) }),
    close: () => keystone?.close(),
  };
}

async function fileWays({ tokensFile, usersFile }: AccessConfig, log: AccessLog): Promise<WayIn[]> {
  return [
    ...(tokensFile === undefined ? [] : [new StaticTokens(await opened('LCM_TOKENS_FILE', tokensFile, readTokens, log))]),
    ...(usersFile === undefined ? [] : [new BasicUsers(await opened('LCM_USERS_FILE', usersFile, readUsers, log))]),
  ];
}

async function opened<T>(name: string, path: string, parse: (text: string) => T, log: AccessLog): Promise<WatchedFile<T>> {
  try {
    return await new WatchedFile(path, parse, log).open();
  } catch (error) {
    throw new ConfigError([
      `${name} names ${path}, which can’t be used: ${error instanceof Error ? error.message : String(error)}`,
    ]);
  }
}

async function keystoneOf(config: AccessConfig, log: AccessLog): Promise<KeystoneTokens | undefined> {
  const { keystoneUrl: authUrl, keystoneUser: username, keystonePassword: password, keystoneCaFile } = config;
  if (authUrl === undefined) return undefined;
  if (username === undefined || password === undefined)
    throw new ConfigError(['LCM_KEYSTONE_URL is given without LCM_KEYSTONE_USER and LCM_KEYSTONE_PASSWORD; expected all three']);
  if (authUrl.startsWith('http:') && !['127.0.0.1', 'localhost', '[::1]'].includes(new URL(authUrl).hostname))
    log.warn('Keystone is asked by http: whoever is on the way sees tokens and this service’s password', { url: authUrl });
  const ca = keystoneCaFile === undefined ? undefined : await caIn(keystoneCaFile);
  const { KeystoneTokens } = await import('./keystone-tokens.js');
  return new KeystoneTokens(
    {
      connection: {
        authUrl,
        credentials: {
          kind: 'password',
          username,
          password,
          userDomain: config.keystoneUserDomain,
          project: config.keystoneProject,
          projectDomain: config.keystoneProjectDomain,
        },
        ...(ca === undefined ? {} : { tls: { ca } }),
      },
      publicUrl: config.keystonePublicUrl ?? authUrl,
      keepFor: config.keystoneCache,
      roles: config.keystoneRoles,
      tenants: config.keystoneTenants ?? {},
    },
    log,
  );
}

async function caIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError([
      `LCM_KEYSTONE_CA_FILE names ${file}, which can’t be read (${(error as NodeJS.ErrnoException).code ?? 'no reason given'})`,
    ]);
  }
}

async function jwtOf(config: AccessConfig, log: AccessLog): Promise<BearerJwts[]> {
  const { jwtIssuer: issuer, jwtAudience: audience, jwtJwksUrl: jwksUrl } = config;
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return [];
  if (issuer === undefined || audience === undefined || jwksUrl === undefined)
    throw new ConfigError(['LCM_JWT_ISSUER, LCM_JWT_AUDIENCE and LCM_JWT_JWKS_URL belong together; expected all three']);
  const { jwtAlgorithms: algorithms, jwtRoles: roles } = config;
  const claims = { userClaim: config.jwtUserClaim, tenantClaim: config.jwtTenantClaim, rolesClaim: config.jwtRolesClaim };
  const { BearerJwts } = await import('./bearer-jwts.js');
  return [new BearerJwts({ issuer, audience, jwksUrl, algorithms, roles, ...claims }, log)];
}
