import {
  millis,
  RequestError,
  seconds,
  TransientError,
  Turns,
  type Duration,
  type Json,
  type JsonObject,
} from '@windlass/foundation';
import { MOST_CLUSTER_NODES, type ClusterNode, type ClusterNodesReply } from '@windlass/messaging';
import { clusterVimId } from '@windlass/mgmt-driver';
import type { AddressRules } from '@windlass/outbound';
import { VimEntity, vimCredentialPlace, type Vault } from '@windlass/persistence';
import { LRUCache } from 'lru-cache';
import type { DataSource } from 'typeorm';
import { holderOf, namesAtAddress } from './address-holder.js';
import { notRegistered } from './cluster-accesses.js';
import { askKubernetes, textIn, type KubernetesAccess } from './kubernetes-api.js';
import { nodeIn } from './node-views.js';

/** How long a look takes at most, and what it saw is good. */
export interface LookTimes {
  /** All that a cluster is asked for, together: a person waits for it. Its turn may be waited for as long. */
  within: Duration;
  /** Of an answer, or that there was none: several people look at one page. */
  goodFor: Duration;
}

const TIMES: LookTimes = { within: seconds(5), goodFor: seconds(5) };

/** Clusters whose last answer is kept in memory. */
const MOST_KEPT = 50;

/** Looks at a time, in this replica, and of one project that wait for their turn. */
const PLACES = { places: 8, waitingPerProject: 16 };

/** Nodes of a page: with the fifty images that each may list, some 25 kB each. */
const PAGE = 100;

type Seen = Pick<ClusterNodesReply, 'seenAt' | 'version' | 'addressHolder' | 'nodes' | 'hasMore'>;
type Look = Seen & Pick<ClusterNodesReply, 'askedAt' | 'unanswered'>;

interface Kept {
  /** Milliseconds since 1970. */
  askedAt: number;
  look: Promise<Look>;
  /** What it said last. */
  seen: Seen;
}

const NOTHING: Seen = { seenAt: null, version: null, addressHolder: null, nodes: [], hasMore: false };

/** Nodes of the clusters that VNF instances have deployed, by the clusters' own word. */
export class ClusterNodes {
  readonly #turns = new Turns(PLACES);
  /** By the VIM's id and URL: one that was made anew elsewhere has said nothing yet. */
  readonly #kept = new LRUCache<string, Kept>({ max: MOST_KEPT });

  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly rules: AddressRules | undefined,
    private readonly times: LookTimes = TIMES,
  ) {}

  /**
   * Of one instance. Of a cluster that says nothing it is what it said last.
   * @throws RequestError 404 `cluster.not-registered`; 429 where too many of the project wait; 503 where its turn does not come
   */
  async of(tenant: string, vnfInstanceId: string): Promise<ClusterNodesReply> {
    const id = clusterVimId(vnfInstanceId);
    const vim = await this.database.manager.findOneBy(VimEntity, { id, tenant, type: 'kubernetes' });
    if (vim === null) throw notRegistered(vnfInstanceId);
    const { name, authUrl: url } = vim;
    const access = (): KubernetesAccess => {
      const credentials = this.vault.openJson(vim.authCred, vimCredentialPlace(id)) as JsonObject;
      return { url, token: textIn(credentials.bearer_token) ?? '', ca: textIn(credentials.ssl_ca_cert) };
    };
    return { vim: { id, name, url }, ...(await this.#recent(tenant, `${id} ${url}`, access)) };
  }

  /** What was seen a moment ago, or is being asked for at this moment, is not asked for again. */
  async #recent(tenant: string, key: string, access: () => KubernetesAccess): Promise<Look> {
    const before = this.#kept.get(key);
    if (before !== undefined && Date.now() - before.askedAt < this.times.goodFor) return before.look;
    const seen = before?.seen ?? NOTHING;
    const kept: Kept = { askedAt: Date.now(), look: this.#inTurn(tenant, access, seen), seen };
    this.#kept.set(key, kept);
    try {
      return (kept.seen = await kept.look);
    } catch (error) {
      // That there was no turn is no answer of the cluster.
      if (this.#kept.get(key) === kept) kept.askedAt = 0;
      throw error;
    }
  }

  async #inTurn(tenant: string, access: () => KubernetesAccess, seen: Seen): Promise<Look> {
    const ends = AbortSignal.timeout(this.times.within);
    try {
      return await this.#turns.run(tenant, () => this.#look(access(), seen), ends);
    } catch (error) {
      if (!ends.aborted || error !== ends.reason) throw error;
      throw new RequestError(503, 'cluster.looks-busy', 'many clusters are being looked at at this moment: try again');
    }
  }

  async #look(access: KubernetesAccess, seen: Seen): Promise<Look> {
    const askedAt = new Date().toISOString();
    const names = namesAtAddress({ url: access.url, rules: this.rules });
    try {
      const [{ nodes, hasMore }, version] = await Promise.all([this.#nodes(access), this.#version(access)]);
      const addressHolder = holderOf(access.url, nodes, await names);
      return { askedAt, unanswered: null, seenAt: askedAt, version, addressHolder, nodes, hasMore };
    } catch (error) {
      if (!(error instanceof TransientError || error instanceof RequestError)) throw error;
      return { ...seen, askedAt, unanswered: error.message };
    }
  }

  /** Page by page, as long as there is time. */
  async #nodes(access: KubernetesAccess): Promise<{ nodes: ClusterNode[]; hasMore: boolean }> {
    const ends = Date.now() + this.times.within;
    const nodes: ClusterNode[] = [];
    let next: string | undefined;
    for (let page = 0; page < MOST_CLUSTER_NODES / PAGE; page++) {
      const path = `/api/v1/nodes?limit=${PAGE}${next === undefined ? '' : `&continue=${encodeURIComponent(next)}`}`;
      const within = millis(Math.max(1, ends - Date.now()));
      const look = { path, what: 'nodes', within };
      const list = await askKubernetes<{ items?: Json; metadata?: { continue?: Json } } | null>(access, look, this.rules);
      // A server that pages nothing answers with all of them.
      const items = Array.isArray(list?.items) ? list.items.slice(0, MOST_CLUSTER_NODES + 1) : [];
      nodes.push(...items.flatMap(nodeIn));
      next = textIn(list?.metadata?.continue);
      if (next === undefined) break;
    }
    const hasMore = next !== undefined || nodes.length > MOST_CLUSTER_NODES;
    return { nodes: nodes.slice(0, MOST_CLUSTER_NODES), hasMore };
  }

  async #version(access: KubernetesAccess): Promise<string | null> {
    const look = { path: '/version', what: 'its version', within: this.times.within };
    const told = await askKubernetes<{ gitVersion?: Json } | null>(access, look, this.rules);
    return textIn(told?.gitVersion)?.slice(0, 100) ?? null;
  }
}
