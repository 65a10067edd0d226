import { TerminalError, type Json, type JsonObject, type Secret, withoutEnd } from '@windlass/foundation';
import type { NameOrId, VimConnection, VimCredentials } from './connection.js';

const DEFAULT_DOMAIN = 'Default';

/** Keystone's v3 root: `http://host:5000` and `http://host/identity/v3/` both become `.../v3`. */
export function keystoneUrl(authUrl: string): string {
  const url = URL.canParse(authUrl) ? new URL(authUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new TerminalError(
      'openstack.bad-auth-url',
      'the VIM connection needs an authUrl that is an http or https URL of Keystone',
    );
  }
  const root = withoutEnd(`${url.origin}${url.pathname}`, '/');
  return root.endsWith('/v3') ? root : `${root.replace(/\/v2(\.0)?$/, '')}/v3`;
}

/** Who asks, for messages: `user "vnfm" on project "vnfm"`. */
export function describeIdentity(credentials: VimCredentials): string {
  const wanted = credentials.kind === 'application-credential' ? undefined : credentials.project;
  const project = wanted === undefined ? '' : ` on project "${nameOf(wanted)}"`;
  switch (credentials.kind) {
    case 'password':
      return `user "${credentials.username}" of domain "${nameOf(credentials.userDomain ?? DEFAULT_DOMAIN)}"${project}`;
    case 'application-credential':
      return `application credential "${credentials.id ?? credentials.name ?? ''}"`;
    case 'token':
      return `a given token${project}`;
  }
}

/** The secrets of a connection: what must never be seen in a message. */
export function secretsOf({ credentials }: Pick<VimConnection, 'credentials'>): Secret[] {
  switch (credentials.kind) {
    case 'password':
      return [credentials.password];
    case 'application-credential':
      return [credentials.secret];
    case 'token':
      return [credentials.token];
  }
}

/** Body of `POST /v3/auth/tokens`. The one place where a secret is revealed to be sent. */
export function authenticationBody(credentials: VimCredentials): JsonObject {
  switch (credentials.kind) {
    case 'password':
      return {
        auth: {
          identity: {
            methods: ['password'],
            password: {
              user: {
                name: credentials.username,
                password: credentials.password.reveal(),
                domain: reference(credentials.userDomain ?? DEFAULT_DOMAIN),
              },
            },
          },
          ...scope(credentials),
        },
      };
    case 'application-credential':
      return {
        auth: {
          identity: {
            methods: ['application_credential'],
            application_credential: { ...applicationCredential(credentials), secret: credentials.secret.reveal() },
          },
        },
      };
    case 'token':
      return {
        auth: { identity: { methods: ['token'], token: { id: credentials.token.reveal() } }, ...scope(credentials) },
      };
  }
}

function applicationCredential(credentials: VimCredentials & { kind: 'application-credential' }): JsonObject {
  if (credentials.id !== undefined) return { id: credentials.id };
  if (credentials.name === undefined || credentials.username === undefined) {
    throw new TerminalError('openstack.bad-credentials', 'an application credential needs its id, or its name and its username');
  }
  const domain = reference(credentials.userDomain ?? DEFAULT_DOMAIN);
  return { name: credentials.name, user: { name: credentials.username, domain } };
}

function scope(credentials: { project?: NameOrId; projectDomain?: NameOrId }): { scope?: Json } {
  const { project } = credentials;
  if (project === undefined) return {};
  if (typeof project !== 'string') return { scope: { project: { id: project.id } } };
  return { scope: { project: { name: project, domain: reference(credentials.projectDomain ?? DEFAULT_DOMAIN) } } };
}

const reference = (of: NameOrId): JsonObject => (typeof of === 'string' ? { name: of } : { id: of.id });
const nameOf = (of: NameOrId): string => (typeof of === 'string' ? of : of.id);
