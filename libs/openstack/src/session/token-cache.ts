import { Secret, TerminalError, minutes } from '@windlass/foundation';
import type { VimConnection } from './connection.js';
import { AnswerReader } from '../http/answer-reader.js';
import { HttpClient, type HttpAnswer } from '../http/http-client.js';
import { serviceError } from '../http/service-errors.js';
import { authenticationBody, describeIdentity, keystoneUrl, secretsOf } from './authentication.js';
import { readCatalog, type CatalogEndpoint } from './service-catalog.js';

/** A token, and what came with it. */
export interface IssuedToken {
  id: Secret;
  userId: string;
  userName: string;
  projectId: string | undefined;
  projectName: string | undefined;
  roles: string[];
  catalog: CatalogEndpoint[];
  /** As Keystone says, on its clock. */
  expiresAt: Date;
  /** Renewed from this moment of the monotonic clock on. */
  staleAt: number;
}

/** A token is renewed this long before its end: Heat goes on working with the one it was given while a stack grows. */
const KEEP_AHEAD = minutes(30);

/**
 * The token of one connection: got when first needed, renewed half-way (at most 30 minutes) before it ends,
 * and asked for once however many requests wait for it. Our wall clock plays no part: only how long Keystone says it lives.
 */
export class TokenCache {
  #current: IssuedToken | undefined;
  #asking: Promise<IssuedToken> | undefined;

  constructor(
    private readonly http: HttpClient,
    private readonly connection: VimConnection,
    private readonly clock: () => number,
  ) {}

  /**
   * A token good for a while.
   * @throws TerminalError `openstack.unauthorized` when Keystone refuses the credentials
   */
  async get(signal?: AbortSignal): Promise<IssuedToken> {
    signal?.throwIfAborted();
    if (this.#current !== undefined && this.clock() < this.#current.staleAt) return this.#current;
    this.#asking ??= this.#authenticate().finally(() => (this.#asking = undefined));
    return unlessAborted(this.#asking, signal);
  }

  /** A service refused this token: the next request gets another, unless that happened already. */
  forget(token: IssuedToken): void {
    if (this.#current === token) this.#current = undefined;
  }

  /** Every secret that could appear in somebody's words about a request. */
  secrets(): Secret[] {
    return [...secretsOf(this.connection), ...(this.#current === undefined ? [] : [this.#current.id])];
  }

  async #authenticate(): Promise<IssuedToken> {
    const { credentials } = this.connection;
    const asked = {
      method: 'POST',
      url: `${keystoneUrl(this.connection.authUrl)}/auth/tokens`,
      secrets: secretsOf(this.connection),
    };
    const answer = await this.http.send({
      ...asked,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(authenticationBody(credentials)),
    });
    if (answer.status === 401) {
      throw new TerminalError(
        'openstack.unauthorized',
        `Keystone at ${asked.url} does not accept ${describeIdentity(credentials)}`,
        {
          title: 'Authentication at the VIM failed',
        },
      );
    }
    if (answer.status !== 201) throw serviceError('Keystone', asked, answer);
    this.#current = readToken(answer, this.clock());
    return this.#current;
  }
}

function readToken(answer: HttpAnswer, now: number): IssuedToken {
  const id = answer.headers['x-subject-token'];
  if (id === undefined || id === '') {
    throw new TerminalError(
      'openstack.unexpected-answer',
      'Keystone issued a token without X-Subject-Token; is authUrl that of Keystone v3?',
    );
  }
  const token = AnswerReader.parse(answer.text, 'answer').object('token');
  const user = token.object('user');
  const project = token.objectIfAny('project');
  const expiresAt = new Date(token.text('expires_at'));
  const lifetime = expiresAt.getTime() - new Date(token.text('issued_at')).getTime();
  return {
    id: new Secret(id),
    userId: user.text('id'),
    userName: user.text('name'),
    projectId: project?.text('id'),
    projectName: project?.text('name'),
    roles: token.objects('roles').map((role) => role.text('name')),
    catalog: readCatalog(token),
    expiresAt,
    staleAt: now + Math.max(lifetime - KEEP_AHEAD, lifetime / 2),
  };
}

/** Ends the wait, not the work: others wait for the same token. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason }));
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
