import { isJsonObject, RequestError, seconds, TransientError, type JsonObject } from '@windlass/foundation';
import type { BoundVolume, BoundVolumesReply } from '@windlass/messaging';
import { clusterVimId, VOLUME_LABEL } from '@windlass/mgmt-driver';
import type { AddressRules } from '@windlass/outbound';
import { VimEntity, vimCredentialPlace, type Vault } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import { askKubernetes, textIn } from './kubernetes-api.js';

/** A client waits for the answer, so the look is short. */
const WITHIN = seconds(5);

/** The most that are told. */
const MOST = 1_000;

/** The PersistentVolumes, of those that VNF instances registered in their clusters, that are in use, as the clusters say. */
export class BoundVolumes {
  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly rules: AddressRules | undefined,
  ) {}

  /** The bound volumes of one instance, in the cluster that the instance is. `unanswered` where the cluster is not registered or does not answer. */
  async of(tenant: string, vnfInstanceId: string): Promise<BoundVolumesReply> {
    const id = clusterVimId(vnfInstanceId);
    const vim = await this.database.manager.findOneBy(VimEntity, { id, tenant });
    if (vim === null) return unanswered('it is not registered as a VIM');
    const credentials = this.vault.openJson(vim.authCred, vimCredentialPlace(id)) as JsonObject;
    const access = { url: vim.authUrl, token: textIn(credentials.bearer_token) ?? '', ca: textIn(credentials.ssl_ca_cert) };
    const selector = encodeURIComponent(`${VOLUME_LABEL}=${vnfInstanceId}`);
    const path = `/api/v1/persistentvolumes?labelSelector=${selector}`;
    try {
      const list = await askKubernetes<{ items?: unknown }>(
        access,
        { path, what: 'PersistentVolumes', within: WITHIN },
        this.rules,
      );
      const items: unknown[] = Array.isArray(list.items) ? list.items : [];
      return { bound: items.flatMap((item) => boundIn(item)).slice(0, MOST), unanswered: null };
    } catch (error) {
      if (error instanceof TransientError || error instanceof RequestError) return unanswered(error.message);
      throw error;
    }
  }
}

const unanswered = (why: string): BoundVolumesReply => ({ bound: [], unanswered: why });

/** The volume, where it is in use; nothing for any other. */
function boundIn(item: unknown): BoundVolume[] {
  if (!isJsonObject(item)) return [];
  const { metadata, spec, status } = item;
  const name = isJsonObject(metadata) ? textIn(metadata.name) : undefined;
  if (name === undefined || !isJsonObject(status) || status.phase !== 'Bound') return [];
  const claim = isJsonObject(spec) && isJsonObject(spec.claimRef) ? spec.claimRef : {};
  const [namespace, claimed] = [textIn(claim.namespace), textIn(claim.name)];
  return [{ name, claim: namespace === undefined || claimed === undefined ? null : `${namespace}/${claimed}` }];
}
