import { RequestError, type JsonObject } from '@windlass/foundation';
import type { RegisteredCluster } from '@windlass/messaging';
import { clusterVimId } from '@windlass/mgmt-driver';
import { VimEntity, vimCredentialPlace, type PgAuditTrail, type Vault } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { textIn } from './kubernetes-api.js';
import type { Author } from './vims.js';

/** What opens the clusters that VNF instances have deployed, for those who may have it. */
export class ClusterAccesses {
  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly trail: PgAuditTrail,
  ) {}

  /** Returns the access once the audit trail has recorded who gets it. @throws RequestError 404 `cluster.not-registered` */
  async give(tenant: string, vnfInstanceId: string, author: Author): Promise<RegisteredCluster> {
    const id = clusterVimId(vnfInstanceId);
    const vim = await this.database.manager.findOneBy(VimEntity, { id, tenant, type: 'kubernetes' });
    if (vim === null) throw notRegistered(vnfInstanceId);
    const { bearer_token: token, ssl_ca_cert: ca } = this.vault.openJson(vim.authCred, vimCredentialPlace(id)) as JsonObject;
    await this.trail.add({ ...author, code: null, tenant });
    const { name, authUrl } = vim;
    return { name, authUrl, token: textIn(token) ?? '', ...(textIn(ca) === undefined ? {} : { ca: ca as string }) };
  }
}

/** @returns RequestError 404 `cluster.not-registered` */
export const notRegistered = (vnfInstanceId: string): RequestError =>
  new RequestError(
    404,
    'cluster.not-registered',
    `VNF instance ${vnfInstanceId} has no cluster that is registered as a VIM: only a VNF whose management driver deploys one has, once its instantiation is COMPLETED`,
  );
