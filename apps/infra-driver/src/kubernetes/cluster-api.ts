import {
  isJsonObject,
  seconds,
  TerminalError,
  type Duration,
  type Json,
  type JsonObject,
  withoutEnd,
} from '@windlass/foundation';
import type { ClusterAccess, ObjectRef } from '@windlass/lifecycle';
import { checkedAgents, observedClusterRequest, type AddressRules, type Agents } from '@windlass/outbound';
import axios, { type AxiosRequestConfig } from 'axios';
import { ClusterRefusal, translated } from './cluster-errors.js';
import { FIELD_MANAGER, isKubeObject, listAt, refText, textAt, type KubeObject } from './objects.js';

/** The most of an answer that is read. */
const MOST_BYTES = 32 * 1024 * 1024;
/** The longest that one request may take; a cluster ends its own after a minute. */
const WITHIN: Duration = seconds(30);

/** A kind as a cluster serves it. */
export interface ServedKind {
  plural: string;
  namespaced: boolean;
  verbs: readonly string[];
}

/** A request, with headers as they are sent. */
type KubeRequest = Omit<AxiosRequestConfig, 'headers'> & { headers?: Record<string, string> };

/** What a claim has to do with the requests of a step. */
export interface RequestTerms {
  /** Called as the last act before anything is changed. */
  fence: () => void;
  /** Ends looks. */
  signal: AbortSignal;
  /** Ends changes. A cancel does not, so that it is known whether a change that was begun took effect. */
  changeSignal: AbortSignal;
}

/** What actions use of a cluster. */
export type Cluster = Pick<
  ClusterApi,
  'served' | 'kinds' | 'forgetKinds' | 'find' | 'list' | 'apply' | 'scale' | 'delete' | 'close'
>;

/** Opens a cluster on behalf of a claim. */
export type OpenCluster = (access: ClusterAccess, terms: RequestTerms) => Cluster;

/** A cluster's API, on behalf of one claim. The certificate is verified by the VIM's CA, always. */
export class ClusterApi {
  readonly #agents: Agents;
  readonly #served = new Map<string, Promise<ReadonlyMap<string, ServedKind> | undefined>>();

  /**
   * @param rules where it may connect to; without them anywhere
   * @throws TerminalError `kubernetes.not-https`: a token is sent only to a server that proves who it is
   */
  constructor(
    private readonly access: ClusterAccess,
    private readonly terms: RequestTerms,
    rules: AddressRules | undefined,
  ) {
    if (new URL(access.authUrl).protocol !== 'https:')
      throw new TerminalError(
        'kubernetes.not-https',
        `the cluster's API at ${access.authUrl} is not https: register the VIM with its https URL`,
      );
    const ca = access.ca === undefined ? {} : { ca: access.ca };
    this.#agents = checkedAgents({ rules, connectWithin: WITHIN }, { ...ca, keepAlive: true, maxSockets: 4 });
  }

  close(): void {
    this.#agents.httpAgent.destroy();
    this.#agents.httpsAgent.destroy();
  }

  /** How the cluster serves a kind; undefined where it does not. */
  async served(apiVersion: string, kind: string): Promise<ServedKind | undefined> {
    const known = this.#served.get(apiVersion) ?? this.#discover(apiVersion);
    this.#served.set(apiVersion, known);
    return (await known)?.get(kind);
  }

  /** Every kind that can be listed and deleted, each by the version of its group that the cluster prefers. */
  async kinds(): Promise<Pick<ObjectRef, 'apiVersion' | 'kind'>[]> {
    const groups = listAt(await this.#ask({ method: 'GET', url: '/apis' }, 'a look at the groups of kinds'), 'groups');
    const versions = groups.flatMap((group) => textAt(group, 'preferredVersion', 'groupVersion') ?? []);
    const found: Pick<ObjectRef, 'apiVersion' | 'kind'>[] = [];
    for (const apiVersion of ['v1', ...versions]) {
      await this.served(apiVersion, '');
      for (const [kind, { verbs }] of (await this.#served.get(apiVersion)) ?? [])
        if (verbs.includes('list') && verbs.includes('delete')) found.push({ apiVersion, kind });
    }
    return found;
  }

  /** Forgets which kinds there are, because a definition of new kinds was applied. */
  forgetKinds(): void {
    this.#served.clear();
  }

  async find(ref: ObjectRef): Promise<KubeObject | undefined> {
    const path = await this.#pathOf(ref);
    if (path === undefined) return undefined;
    try {
      return asObject(await this.#ask({ method: 'GET', url: path }, `a look at ${refText(ref)}`), ref);
    } catch (error) {
      if (error instanceof ClusterRefusal && error.httpStatus === 404) return undefined;
      throw error;
    }
  }

  /** The objects of a kind with these labels, in one namespace or in all. A kind that is not served has none. */
  async list(
    apiVersion: string,
    kind: string,
    { namespace, selector }: { namespace?: string; selector: string },
  ): Promise<KubeObject[]> {
    const base = await this.#collectionOf({ apiVersion, kind, namespace: namespace ?? null });
    if (base === undefined) return [];
    const params = { labelSelector: selector };
    const answer = await this.#ask({ method: 'GET', url: base, params }, `a look at objects of kind ${kind}`);
    // Items of a list carry neither.
    return listAt(answer, 'items')
      .filter(isKubeObject)
      .map((item) => ({ ...item, apiVersion, kind }));
  }

  /** Server-side apply, by our field manager, which takes no field from another. @param options.dryRun the cluster only says what it would make of it */
  async apply(ref: ObjectRef, object: JsonObject, { dryRun = false } = {}): Promise<KubeObject> {
    const url = await this.#pathOf(ref);
    if (url === undefined) throw unserved(ref);
    const params = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: false, ...(dryRun ? { dryRun: 'All' } : {}) };
    const headers = { 'Content-Type': 'application/apply-patch+yaml' };
    const what = `${dryRun ? 'a trial of ' : ''}applying ${refText(ref)}`;
    return asObject(await this.#change({ method: 'PATCH', url, params, headers, data: JSON.stringify(object) }, what), ref);
  }

  /** Sets how many pods a workload has, and no other field of it. */
  async scale(ref: ObjectRef, replicas: number): Promise<void> {
    const url = await this.#pathOf(ref);
    if (url === undefined) throw unserved(ref);
    const params = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const data = { spec: { replicas } };
    await this.#change(
      { method: 'PATCH', url: `${url}/scale`, data, params, headers },
      `setting ${refText(ref)} to ${replicas} pods`,
    );
  }

  /** Begins the deletion of the object with this uid, dependents first. An object that is gone, or has a different uid by now, counts as deleted. */
  async delete(ref: ObjectRef, uid: string): Promise<void> {
    const url = await this.#pathOf(ref);
    if (url === undefined) return;
    const data = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground', preconditions: { uid } };
    try {
      await this.#change({ method: 'DELETE', url, data }, `deleting ${refText(ref)}`);
    } catch (error) {
      if (error instanceof ClusterRefusal && [404, 409].includes(error.httpStatus)) return;
      throw error;
    }
  }

  async #discover(apiVersion: string): Promise<ReadonlyMap<string, ServedKind> | undefined> {
    const root = rootOf(apiVersion);
    try {
      const answer = await this.#ask({ method: 'GET', url: root }, `a look at the kinds of ${apiVersion}`);
      const kinds = listAt(answer, 'resources').flatMap(({ name, kind, namespaced, verbs }): [string, ServedKind][] =>
        typeof name === 'string' && typeof kind === 'string' && !name.includes('/')
          ? [[kind, { plural: name, namespaced: namespaced === true, verbs: Array.isArray(verbs) ? verbs.map(String) : [] }]]
          : [],
      );
      return new Map(kinds);
    } catch (error) {
      if (error instanceof ClusterRefusal && error.httpStatus === 404) return undefined;
      throw error;
    }
  }

  async #pathOf(ref: ObjectRef): Promise<string | undefined> {
    const collection = await this.#collectionOf(ref);
    return collection === undefined ? undefined : `${collection}/${encodeURIComponent(ref.name)}`;
  }

  async #collectionOf({ apiVersion, kind, namespace }: Omit<ObjectRef, 'name'>): Promise<string | undefined> {
    const served = await this.served(apiVersion, kind);
    if (served === undefined) return undefined;
    const within = namespace === null || !served.namespaced ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
    return `${rootOf(apiVersion)}${within}/${served.plural}`;
  }

  #ask(request: KubeRequest, what: string): Promise<Json> {
    return this.#request({ ...request, signal: this.terms.signal }, what);
  }

  #change(request: KubeRequest, what: string): Promise<Json> {
    this.terms.fence();
    return this.#request({ ...request, signal: this.terms.changeSignal }, what);
  }

  async #request(request: KubeRequest, what: string): Promise<Json> {
    const { headers, url: path = '', method = 'GET', ...rest } = request;
    this.terms.signal.throwIfAborted();
    const url = new URL(withoutEnd(this.access.authUrl, '/') + path);
    try {
      const { data } = await observedClusterRequest({ method, url, signal: this.terms.signal }, () =>
        axios.request<Json>({
          ...rest,
          method,
          url: url.href,
          headers: {
            Accept: 'application/json',
            'Content-Type': 'application/json',
            ...headers,
            Authorization: `Bearer ${this.access.token}`,
          },
          ...this.#agents,
          proxy: false,
          timeout: WITHIN,
          maxContentLength: MOST_BYTES,
          maxRedirects: 0,
        }),
      );
      return data;
    } catch (error) {
      // A claim that has ended says so itself.
      this.terms.signal.throwIfAborted();
      throw translated(error, what);
    }
  }
}

const rootOf = (apiVersion: string): string => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`);

const unserved = (ref: ObjectRef): ClusterRefusal =>
  new ClusterRefusal('kubernetes.unknown-kind', `the cluster has no kind ${ref.kind} in ${ref.apiVersion}`, 404);

function asObject(answer: Json, ref: ObjectRef): KubeObject {
  if (isKubeObject(answer)) return answer;
  const shape = isJsonObject(answer) ? (textAt(answer, 'kind') ?? 'an object without a kind') : 'no object';
  throw new TerminalError('kubernetes.strange-answer', `the cluster answered ${shape} where ${refText(ref)} was expected`);
}
