import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { bodyMember, HttpFailure, ok, sessionOf, type Answer, type Call } from '../http/answer.js';
import { Router } from '../http/router.js';
import type { Service } from '../http/service.js';
import { isoMicros } from '../state/ids.js';
import type { Session } from '../state/session.js';
import { catalog, REGION } from './catalog.js';
import { projectView, roleView, userView, type Keystone, type Proof } from './keystone.js';

const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const refuse = (status: number, message: string, extra: JsonObject = {}): HttpFailure =>
  new HttpFailure(status, message, { error: { code: status, ...extra, message, title: TITLES[status] ?? 'Error' } });

const UNAUTHORIZED = 'The request you have made requires authentication.';
const MALFORMED =
  'The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.';
const expecting = (what: string): HttpFailure => refuse(400, `Expecting to find ${what}. ${MALFORMED}`);

const notFoundPage =
  '<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>\n';

/** Keystone's identity API, version 3: tokens, regions, the user's projects, application credentials. */
export function keystoneService(keystone: Keystone): Service {
  return {
    name: 'keystone',
    prefix: '/identity',
    router: routes(keystone),
    isOpen: (method, path) => ['', '/', '/v3', '/v3/'].includes(path) || (method === 'POST' && path === '/v3/auth/tokens'),
    headers: (request) => ({ Vary: 'X-Auth-Token', 'x-openstack-request-id': request }),
    unauthorized: () => refuse(401, UNAUTHORIZED),
    notFound: () => new HttpFailure(404, 'not found', notFoundPage, { 'Content-Type': 'text/html; charset=utf-8' }),
    wrongMethod: () => refuse(405, 'The method is not allowed for the requested URL.'),
    badJson: () => expecting('valid JSON in request body'),
    failure: (status, message) => refuse(status, message),
  };
}

function routes(keystone: Keystone): Router {
  return new Router()
    .on('GET', '/', ({ base }) => ({
      status: 300,
      body: { versions: { values: [version(base)] } },
      headers: { Location: `${base}/identity/v3/` },
    }))
    .on('GET', '/v3', ({ base }) => ok({ version: version(base) }))
    .on('POST', '/v3/auth/tokens', (call) => issue(keystone, call))
    .on('GET', '/v3/auth/tokens', (call) => validate(keystone, call))
    .on('DELETE', '/v3/auth/tokens', (call) => {
      keystone.revoke(subject(keystone, call).token.id);
      return { status: 204 };
    })
    .on('GET', '/v3/auth/catalog', (call) =>
      ok({ catalog: catalogOf(keystone, sessionOf(call), call.base), links: { self: `${call.base}${call.path}` } }),
    )
    .on('GET', '/v3/auth/projects', (call) =>
      ok({
        links: listLinks(call),
        projects: keystone.projectsOf(sessionOf(call).user).map((project) => projectDetail(call, project.id, project.name)),
      }),
    )
    .on('GET', '/v3/projects', (call) => {
      if (!sessionOf(call).isAdmin) throw forbidden('identity:list_projects');
      return ok({ links: listLinks(call), projects: [] });
    })
    .on('GET', '/v3/regions', (call) => ok({ regions: [region(call.base)], links: listLinks(call) }))
    .on('GET', '/v3/regions/:id', ({ base, params }) => {
      if (params.id !== REGION) throw refuse(404, `Could not find region: ${params.id}.`);
      return ok({ region: region(base) });
    })
    .on('POST', '/v3/users/:user/application_credentials', (call) => createCredential(keystone, call));
}

const forbidden = (rule: string): HttpFailure => refuse(403, `You are not authorized to perform the requested action: ${rule}.`);

const version = (base: string): JsonObject => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: `${base}/identity/v3/` }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
});

const region = (base: string): JsonObject => ({
  id: REGION,
  description: '',
  parent_region_id: null,
  links: { self: `${base}/identity/v3/regions/${REGION}` },
});

const listLinks = (call: Call): JsonObject => ({ next: null, self: `${call.base}${call.path}`, previous: null });

const projectDetail = (call: Call, id: string, name: string): JsonObject => ({
  id,
  name,
  domain_id: 'default',
  description: '',
  enabled: true,
  parent_id: 'default',
  is_domain: false,
  tags: [],
  options: {},
  links: { self: `${call.base}/identity/v3/projects/${id}` },
});

const catalogOf = (keystone: Keystone, session: Session, base: string): JsonObject[] =>
  session.project === undefined ? [] : catalog(base, session.project.id, keystone.registered);

function tokenView(keystone: Keystone, session: Session, base: string): JsonObject {
  const scoped: JsonObject =
    session.project === undefined
      ? {}
      : {
          project: projectView(session.project),
          is_domain: false,
          roles: session.roles.map(roleView),
          catalog: catalogOf(keystone, session, base),
        };
  return {
    methods: [session.token.method],
    user: userView(session.user),
    audit_ids: [session.token.auditId],
    expires_at: isoMicros(session.token.expiresAt),
    issued_at: isoMicros(session.token.issuedAt),
    ...scoped,
  };
}

function issue(keystone: Keystone, call: Call): Answer {
  const auth = bodyMember(call, 'auth');
  if (auth === undefined) throw expecting('auth in request body');
  const session = keystone.issue(proofOf(auth), scopeOf(auth.scope));
  if (session === undefined) {
    const failure = refuse(401, UNAUTHORIZED);
    failure.headers['WWW-Authenticate'] = `Keystone uri="${call.base}/identity/v3"`;
    throw failure;
  }
  return {
    status: 201,
    body: { token: tokenView(keystone, session, call.base) },
    headers: { 'X-Subject-Token': session.token.id },
  };
}

function validate(keystone: Keystone, call: Call): Answer {
  const session = subject(keystone, call);
  const asking = sessionOf(call);
  // Keystone's default policy: admins, services, and one's own.
  const may = asking.isAdmin || asking.roles.includes('service') || asking.user.id === session.user.id;
  if (!may) throw forbidden('identity:validate_token');
  return ok({ token: tokenView(keystone, session, call.base) }, { 'X-Subject-Token': session.token.id });
}

function subject(keystone: Keystone, call: Call): Session {
  const id = call.headers['x-subject-token'];
  const session = keystone.session(typeof id === 'string' ? id : undefined);
  if (session === undefined) throw refuse(404, 'Could not recognize Fernet token');
  return session;
}

function proofOf(auth: JsonObject): Proof {
  const identity = auth.identity;
  if (!isJsonObject(identity)) throw invalid('auth', "'identity' is a required property");
  const methods = identity.methods;
  if (!Array.isArray(methods)) throw invalid('identity', "'methods' is a required property");
  const method = methods[0];
  const given = typeof method === 'string' ? identity[method] : undefined;
  if (method === 'password' && isJsonObject(given)) return passwordProof(given.user);
  if (method === 'application_credential' && isJsonObject(given)) {
    return { method, id: text(given.id), secret: text(given.secret) };
  }
  if (method === 'token' && isJsonObject(given)) return { method, id: text(given.id) };
  if (method === 'password' || method === 'token') throw expecting(`${method} in identity`);
  throw refuse(401, 'Attempted to authenticate with an unsupported method.', {
    identity: { methods: ['external', 'password', 'token', 'oauth1', 'mapped', 'application_credential'] },
  });
}

function passwordProof(user: Json | undefined): Proof {
  if (!isJsonObject(user)) throw expecting('user in password');
  const byId = typeof user.id === 'string';
  const domain = user.domain;
  if (!byId && typeof user.name !== 'string') throw expecting('id or name in user');
  if (!byId && !isJsonObject(domain)) throw expecting('domain in user');
  if (!byId && isJsonObject(domain) && !isDefault(domain)) throw refuse(401, UNAUTHORIZED);
  return {
    method: 'password',
    userId: byId ? text(user.id) : undefined,
    userName: byId ? undefined : text(user.name),
    password: text(user.password),
  };
}

function scopeOf(scope: Json | undefined): { id?: string; name?: string } | undefined {
  if (scope === undefined || scope === 'unscoped') return undefined;
  const project = isJsonObject(scope) ? scope.project : undefined;
  if (!isJsonObject(project)) throw expecting('project in scope');
  if (typeof project.id === 'string') return { id: project.id };
  const domain = project.domain;
  if (!isJsonObject(domain)) throw expecting('domain in project');
  return isDefault(domain) ? { name: text(project.name) } : { name: '' };
}

const isDefault = (domain: JsonObject): boolean => domain.id === 'default' || domain.name === 'Default';

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const invalid = (field: string, problem: string): HttpFailure => refuse(400, `Invalid input for field '${field}': ${problem}`);

function createCredential(keystone: Keystone, call: Call): Answer {
  const session = sessionOf(call);
  const wanted = bodyMember(call, 'application_credential');
  if (call.params.user !== session.user.id) throw forbidden('identity:create_application_credential');
  if (wanted === undefined || typeof wanted.name !== 'string') {
    throw invalid('application_credential', "'name' is a required property");
  }
  const secret = wanted.secret;
  const made = keystone.createCredential(session, wanted.name, typeof secret === 'string' ? secret : undefined);
  if (made === undefined) throw forbidden('identity:create_application_credential');
  return {
    status: 201,
    body: {
      application_credential: {
        id: made.id,
        name: made.name,
        description: null,
        user_id: made.userId,
        project_id: made.projectId,
        system: null,
        expires_at: null,
        unrestricted: null,
        roles: session.roles.map((role) => ({ ...roleView(role), domain_id: null, description: null, options: {} })),
        secret: made.secret,
        links: { self: `${call.base}/identity/v3/application_credentials/${made.id}` },
      },
    },
  };
}
