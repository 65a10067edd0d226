import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import type { IpRange } from '../kube/ip-range.js';
import { StatusError } from '../kube/status-error.js';
import type { Store } from '../store/store.js';
import { Authenticator } from './authentication.js';
import { Authorizer } from './authorization.js';
import { bootstrap } from './bootstrap.js';
import { discovery } from './discovery.js';
import { serveResource, type Answer, type Services } from './handlers.js';
import { healthAnswer } from './health.js';
import { ObjectCache } from './object-cache.js';
import { OPENAPI_PROTOBUF, openapiJson, openapiProtobuf } from './openapi.js';
import { ObjectRegistry } from './registry.js';
import { requestInfo, type PathRequest } from './request-info.js';
import { versionInfo } from './version.js';

export interface ApiServerSettings {
  bindAddress: string;
  /** 0 for any free one. */
  port: number;
  /** PEM texts. */
  tls: { cert: string; key: string; clientCa: string };
  serviceAccounts: { issuer: string; verificationKeys: readonly string[]; signingKey: string | undefined };
  bootstrapTokens: boolean;
  anonymous: boolean;
  serviceRange: IpRange;
  advertiseAddress: string;
  /** `v1.34.1` */
  version: string;
  log: (line: string) => void;
}

export interface RunningApiServer {
  port: number;
  close(): Promise<void>;
}

/** No request body of the API is larger: etcd refuses 1.5 MiB, the real server 3 MiB. */
const BODY_LIMIT = 3 * 1024 * 1024;

/** Starts the API server stand-in; resolves when it listens, loaded and with its own objects in the store. */
export async function startApiServer(settings: ApiServerSettings, store: Store): Promise<RunningApiServer> {
  const cache = new ObjectCache(store, settings.log);
  await cache.start();
  const services = assemble(settings, store, cache);
  await bootstrap(services.registry, settings);
  const server = createServer(
    {
      cert: settings.tls.cert,
      key: settings.tls.key,
      ca: settings.tls.clientCa,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      keepAliveTimeout: 120_000,
    },
    (request, response) => void answer(request, response, services, settings),
  );
  server.requestTimeout = 60_000;
  await listen(server, settings);
  const { port } = server.address() as AddressInfo;
  settings.log(`serving securely on ${settings.bindAddress}:${port} (windlass-lab stand-in ${settings.version})`);
  return {
    port,
    close: async () => {
      cache.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      store.close();
    },
  };
}

function assemble(settings: ApiServerSettings, store: Store, cache: ObjectCache): Services {
  const { issuer, verificationKeys, signingKey } = settings.serviceAccounts;
  const authenticator = new Authenticator(
    {
      issuer,
      verificationKeys: verificationKeys.map((pem) => createPublicKey(pem)),
      bootstrapTokens: settings.bootstrapTokens,
      anonymous: settings.anonymous,
    },
    (key) => cache.get(key),
  );
  const authorizer = new Authorizer(cache);
  return {
    cache,
    authenticator,
    authorizer,
    registry: new ObjectRegistry(store, cache, authorizer, settings.serviceRange),
    tokens: { issuer, signingKey: signingKey === undefined ? undefined : createPrivateKey(signingKey) },
  };
}

const listen = (server: Server, { port, bindAddress }: ApiServerSettings): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, bindAddress, () => {
      server.off('error', reject);
      resolve();
    });
  });

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  services: Services,
  settings: ApiServerSettings,
): Promise<void> {
  try {
    const found = await respond(request, response, services, settings);
    if (found !== undefined) send(response, found);
  } catch (error) {
    const status = error instanceof StatusError ? error : internal(error, settings);
    if (response.headersSent) response.destroy();
    else send(response, { status: status.code, body: status.toStatus() }, status.details.retryAfterSeconds);
  }
}

function internal(error: unknown, settings: ApiServerSettings): StatusError {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  settings.log(`internal error: ${text}`);
  return new StatusError(500, 'InternalError', `Internal error occurred: ${error instanceof Error ? error.message : text}`);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  services: Services,
  settings: ApiServerSettings,
): Promise<Answer | undefined> {
  const identity = services.authenticator.identify(request);
  if (request.headers['impersonate-user'] !== undefined) {
    throw StatusError.badRequest('impersonation is not in the windlass-lab stand-in');
  }
  const info = requestInfo(request.method ?? 'GET', request.url ?? '/');
  services.authorizer.check(identity, info);
  if (info.kind === 'path') return servePath(info, request, response, services, settings);
  const body = await readBody(request);
  return serveResource({ request, response, identity, info, body }, services);
}

function servePath(
  info: PathRequest,
  request: IncomingMessage,
  response: ServerResponse,
  services: Services,
  settings: ApiServerSettings,
): Answer | undefined {
  if (info.verb !== 'get') throw StatusError.methodNotAllowed();
  const health = healthAnswer(info.path, services.cache);
  if (health !== undefined) {
    response.writeHead(health.status, { 'content-type': 'text/plain; charset=utf-8' }).end(health.text);
    return undefined;
  }
  if (info.path === '/version' || info.path === '/version/') return { status: 200, body: versionInfo(settings.version) };
  if (info.path === '/openapi/v2') {
    if (!(request.headers.accept ?? '').includes(OPENAPI_PROTOBUF)) return { status: 200, body: openapiJson(settings.version) };
    // The media type asked for is no valid answer type (`@`): the real server says octet-stream too.
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(openapiProtobuf(settings.version));
    return undefined;
  }
  const document = discovery(info.path, `${settings.advertiseAddress}:${settings.port}`);
  if (document === undefined) throw StatusError.noSuchPath();
  return { status: 200, body: document };
}

function send(response: ServerResponse, { status, body }: Answer, retryAfter?: number): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.end(text);
}

async function readBody(request: IncomingMessage): Promise<Json | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT)
      throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_LIMIT}`);
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  return parseBody(Buffer.concat(chunks).toString('utf8'), request.headers['content-type'] ?? 'application/json');
}

async function parseBody(text: string, contentType: string): Promise<Json> {
  if (contentType.includes('protobuf'))
    throw StatusError.unsupportedMedia('the windlass-lab stand-in takes JSON and YAML, not protobuf');
  try {
    if (contentType.includes('yaml')) return (await import('yaml')).parse(text) as Json;
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? withoutPrototype(value) : value;
  } catch (error) {
    throw StatusError.badRequest(`couldn't get the body: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** `__proto__` is no member of anything here. */
function withoutPrototype(value: JsonObject): JsonObject {
  Reflect.deleteProperty(value, '__proto__');
  return value;
}
