import { isJsonObject, RequestError } from '@windlass/foundation';
import type { ClusterRegistration, ClusterView } from '@windlass/messaging';
import { clusterVimId } from '@windlass/mgmt-driver';
import { vimUsers, VimEntity, type PgClaims } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import type { Author, Vims } from './vims.js';

/** The owner of a cluster, as the claim's operation says. */
export interface ClusterOwner {
  tenant: string;
  vnfInstanceId: string;
  operationId: string;
}

/** The cluster that a VNF instance is, as a VIM. The instance's steps can register, see and remove no other. */
export class Clusters {
  constructor(
    private readonly database: DataSource,
    private readonly vims: Vims,
    private readonly claims: PgClaims,
  ) {}

  /** The registered one, and the VNF instances that use it. */
  async show({ tenant, vnfInstanceId }: ClusterOwner): Promise<{ vim?: ClusterView; vnfInstanceIds: string[] }> {
    const { manager } = this.database;
    const id = clusterVimId(vnfInstanceId);
    const there = await manager.findOneBy(VimEntity, { id, tenant, type: 'kubernetes' });
    const vnfInstanceIds = await vimUsers(manager, tenant, id);
    return { ...(there === null ? {} : { vim: { id, name: there.name, auth_url: there.authUrl } }), vnfInstanceIds };
  }

  /** One that is there is answered. @throws RequestError 400 for wrong fields, a URL that is none of the instance's or refused credentials; 409 for a name that is taken */
  async register(owner: ClusterOwner, registration: ClusterRegistration, author: Author): Promise<ClusterView> {
    const cluster = checkedCluster(registration);
    const { vim: there } = await this.show(owner);
    if (there !== undefined) return there;
    await this.#assertOwnAddress(owner, cluster.auth_url);
    const vim = { ...cluster, id: clusterVimId(owner.vnfInstanceId), type: 'kubernetes', is_default: false } as const;
    const { id, name, type, auth_url } = await this.vims.register(owner.tenant, vim, author);
    if (type !== 'kubernetes')
      throw new RequestError(409, 'vim.id-taken', `VIM ${id} is another one, of type ${type}: remove it`);
    return { id, name, auth_url };
  }

  /** @throws RequestError 409 while something uses it */
  async remove(owner: ClusterOwner, author: Author): Promise<boolean> {
    const { vim } = await this.show(owner);
    if (vim === undefined) return false;
    await this.vims.delete(owner.tenant, vim.id, author);
    return true;
  }

  /** Refuses foreign addresses. The registry sends the URL a token, and a captured driver must not choose where the token goes. */
  async #assertOwnAddress({ operationId, vnfInstanceId }: ClusterOwner, url: string): Promise<void> {
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
    const own = await this.claims.addresses(operationId);
    if (own.has(host)) return;
    const known = own.size === 0 ? 'none' : [...own].join(', ');
    throw wrong('auth_url', `${host} is no address of VNF instance ${vnfInstanceId}; it has ${known}`);
  }
}

/** What a cluster's registration may hold, and nothing else of it: no default, no type, no id. */
function checkedCluster(registration: unknown): ClusterRegistration {
  const { name, description, auth_url: url, auth_cred: credentials } = isJsonObject(registration) ? registration : {};
  if (typeof name !== 'string') throw wrong('name', 'expected a text');
  if (typeof description !== 'string' || description.length > 1_024)
    throw wrong('description', 'expected a text of at most 1024 characters');
  if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw wrong('auth_url', 'expected an https URL');
  const { bearer_token: token, ssl_ca_cert: ca } = isJsonObject(credentials) ? credentials : {};
  if (typeof token !== 'string' || token === '') throw wrong('auth_cred/bearer_token', 'expected a text');
  if (typeof ca !== 'string' || ca === '') throw wrong('auth_cred/ssl_ca_cert', 'expected the CA of the cluster');
  return { name, description, auth_url: url, auth_cred: { bearer_token: token, ssl_ca_cert: ca } };
}

const wrong = (path: string, reason: string): RequestError =>
  new RequestError(400, 'vim.invalid', `/${path}: ${reason}`, { invalidParams: [{ path: `/${path}`, reason }] });
