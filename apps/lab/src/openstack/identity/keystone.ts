import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Duration, JsonObject } from '@windlass/foundation';
import { hexId, stableHexId } from '../state/ids.js';
import type { Session } from '../state/session.js';
import type { ApplicationCredential, CloudState, Project, Token, User } from '../state/state.js';
import type { RegisteredService } from './catalog.js';

/** What a token request says about who asks: a password, a credential, or an older token. */
export type Proof =
  | { method: 'password'; userId: string | undefined; userName: string | undefined; password: string }
  | { method: 'application_credential'; id: string; secret: string }
  | { method: 'token'; id: string };

/** Users, projects and tokens. */
export class Keystone {
  /** Services beside OpenStack's own; of each type one. */
  registered: readonly RegisteredService[] = [];

  constructor(
    private readonly state: CloudState,
    private tokenLife: Duration,
  ) {}

  /** Makes a user in a project, or sets the password of the one that exists. */
  seed(projectName: string, userName: string, password: string, roles: string[]): void {
    const project = this.projectNamed(projectName) ?? { id: stableHexId('project', projectName), name: projectName };
    this.state.projects.set(project.id, project);
    const user = this.userNamed(userName) ?? { id: stableHexId('user', userName), name: userName, password, roles: {} };
    user.password = password;
    user.roles[project.id] = roles;
    this.state.users.set(user.id, user);
  }

  /** Names a service in every catalog from now on, in place of one of its type. */
  register(service: RegisteredService): void {
    this.registered = [...this.registered.filter(({ type }) => type !== service.type), service];
  }

  projectNamed = (name: string): Project | undefined => [...this.state.projects.values()].find((one) => one.name === name);
  userNamed = (name: string): User | undefined => [...this.state.users.values()].find((one) => one.name === name);
  project = (id: string): Project | undefined => this.state.projects.get(id);

  /** A token for the project asked for, or undefined when the proof is wrong or the user has no role there. */
  issue(proof: Proof, scope: { id?: string; name?: string } | undefined): Session | undefined {
    const proven = this.prove(proof);
    if (proven === undefined) return undefined;
    const project = proven.projectId === undefined ? this.scoped(scope) : this.project(proven.projectId);
    if (scope !== undefined && project === undefined) return undefined;
    if (project !== undefined && proven.user.roles[project.id] === undefined) return undefined;
    const issuedAt = Date.now();
    const token: Token = {
      id: `gAAAAA${randomBytes(96).toString('base64url')}`,
      userId: proven.user.id,
      projectId: project?.id ?? null,
      method: proof.method,
      auditId: randomBytes(16).toString('base64url'),
      issuedAt,
      // A token made of another ends when that one does.
      expiresAt: proven.until ?? issuedAt + this.tokenLife,
    };
    this.forgetExpired();
    this.state.tokens.set(token.id, token);
    return this.session(token.id);
  }

  /** The session of a token that is known and has not expired. */
  session(tokenId: string | undefined): Session | undefined {
    const token = tokenId === undefined ? undefined : this.state.tokens.get(tokenId);
    if (token === undefined || token.expiresAt <= Date.now()) return undefined;
    const user = this.state.users.get(token.userId);
    if (user === undefined) return undefined;
    const project = token.projectId === null ? undefined : this.project(token.projectId);
    const roles = project === undefined ? [] : (user.roles[project.id] ?? []);
    return { token, user, project, roles, isAdmin: roles.includes('admin') };
  }

  revoke(tokenId: string): void {
    this.state.tokens.delete(tokenId);
  }

  /** Ends every token that is out now. */
  expireAll(): void {
    this.state.tokens.clear();
  }

  setTokenLife(life: Duration): void {
    this.tokenLife = life;
  }

  projectsOf = (user: User): Project[] => Object.keys(user.roles).flatMap((id) => this.project(id) ?? []);

  createCredential(session: Session, name: string, secret: string | undefined): ApplicationCredential | undefined {
    if (session.project === undefined) return undefined;
    const credential: ApplicationCredential = {
      id: hexId(),
      name,
      secret: secret ?? randomBytes(64).toString('base64url'),
      userId: session.user.id,
      projectId: session.project.id,
    };
    this.state.credentials.set(credential.id, credential);
    return credential;
  }

  private prove(proof: Proof): { user: User; projectId?: string; until?: number } | undefined {
    if (proof.method === 'token') {
      const session = this.session(proof.id);
      return session === undefined ? undefined : { user: session.user, until: session.token.expiresAt };
    }
    if (proof.method === 'application_credential') {
      const credential = this.state.credentials.get(proof.id);
      if (credential === undefined || !same(credential.secret, proof.secret)) return undefined;
      const user = this.state.users.get(credential.userId);
      return user === undefined ? undefined : { user, projectId: credential.projectId };
    }
    const user = proof.userId === undefined ? this.userNamed(proof.userName ?? '') : this.state.users.get(proof.userId);
    return user !== undefined && same(user.password, proof.password) ? { user } : undefined;
  }

  private scoped(scope: { id?: string; name?: string } | undefined): Project | undefined {
    if (scope === undefined) return undefined;
    return scope.id === undefined ? this.projectNamed(scope.name ?? '') : this.project(scope.id);
  }

  private forgetExpired(): void {
    const now = Date.now();
    for (const token of this.state.tokens.values()) if (token.expiresAt <= now) this.state.tokens.delete(token.id);
  }
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const domain: JsonObject = { id: 'default', name: 'Default' };

/** A role as tokens list it. */
export const roleView = (name: string): JsonObject => ({ id: stableHexId('role', name), name });

export const userView = (user: User): JsonObject => ({ domain, id: user.id, name: user.name, password_expires_at: null });

export const projectView = (project: Project): JsonObject => ({ domain, id: project.id, name: project.name });
