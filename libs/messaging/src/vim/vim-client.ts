import { seconds, type JsonObject } from '@windlass/foundation';
import type { RequestClient } from '../request/request-client.js';
import { CoreKeys } from '../sealing/core-keys.js';
import { KeyPair, publicKey } from '../sealing/key-pair.js';
import { open, seal, type SealedBox } from '../sealing/sealed-box.js';
import { VimAdministration } from './vim-administration.js';
import { boundVolumesContract, type BoundVolumesReply, type BoundVolumesRequest } from './bound-volumes-contract.js';
import { clusterNodesContract, type ClusterNodesReply, type ClusterNodesRequest } from './cluster-nodes-contract.js';
import { clusterAccessContract, type ClusterAccessRequest, type RegisteredCluster } from './cluster-access-contract.js';
import { checkVimContract, type VimCheckRequest, type VimFinding } from './vim-check-contract.js';
import { vimNetworksContract, type VimNetworksReply, type VimNetworksRequest } from './vim-networks-contract.js';
import {
  deleteVimContract,
  listVimsContract,
  registerVimContract,
  showVimContract,
  updateVimContract,
  vimAad,
  VIM_REGISTRY_KEYS,
  type TrailedRequest,
  type VimListRequest,
  type VimRegistration,
  type VimRequest,
  type VimView,
} from './vim-contracts.js';

/** The trial of a VIM's credentials takes a few round trips to the VIM. */
const CHECK_WITHIN = seconds(30);
/** Longer than the registry's own limit for the check of a VIM. */
const LOOK_WITHIN = seconds(55);
/** Longer than the registry's own limit for questions to a cluster, or for networks. */
const CLUSTER_WITHIN = seconds(8);
/** Longer than the registry's own limit for a cluster's nodes, the time in its queue included. */
const NODES_WITHIN = seconds(12);

/**
 * Administration of VIMs, for holders of the master key. The master key signs each request; credentials are sealed to the registry's key, which
 * derives from the master key too.
 */
export class VimClient {
  readonly #key: string;
  readonly #administration: VimAdministration;

  constructor(
    private readonly client: RequestClient,
    masterKeys: readonly Buffer[],
  ) {
    this.#key = new CoreKeys(masterKeys, VIM_REGISTRY_KEYS).publicX;
    this.#administration = new VimAdministration(masterKeys);
  }

  /** @param request the REST request behind the change: the registry keeps it in the audit trail with the change */
  register(tenant: string, registration: VimRegistration, request: TrailedRequest): Promise<VimView> {
    const sealed = this.#seal(registration, vimAad('register', tenant));
    const asked = this.#administration.signed('vim.register.request', { tenant, sealed, request });
    return this.client.request(registerVimContract, asked, { within: CHECK_WITHIN });
  }

  /** @param request as of {@link register} */
  update(tenant: string, id: string, change: JsonObject, request: TrailedRequest): Promise<VimView> {
    const sealed = this.#seal(change, vimAad('update', tenant, id));
    const asked = this.#administration.signed('vim.update.request', { tenant, id, sealed, request });
    return this.client.request(updateVimContract, asked, { within: CHECK_WITHIN });
  }

  async check(tenant: string, id: string, needs: VimCheckRequest['needs']): Promise<VimFinding[]> {
    const asked = this.#administration.signed('vim.check.request', { tenant, id, needs });
    return (await this.client.request(checkVimContract, asked, { within: LOOK_WITHIN })).findings;
  }

  /**
   * Networks and more of an OpenStack by their names or ids, as far as the OpenStack answers.
   * @param described the access to an OpenStack that is not registered, as the registry's `VimAccess` has it
   */
  networks(request: Omit<VimNetworksRequest, 'described'>, described?: object): Promise<VimNetworksReply> {
    const sealed =
      described === undefined ? {} : { described: this.#seal(described, vimAad('look', request.tenant, request.id)) };
    const asked = this.#administration.signed('vim.networks.request', { ...request, ...sealed });
    return this.client.request(vimNetworksContract, asked, { within: CLUSTER_WITHIN });
  }

  /** The instance's PersistentVolumes that are in use in its cluster, as far as the cluster answers. */
  boundVolumes(request: BoundVolumesRequest): Promise<BoundVolumesReply> {
    const asked = this.#administration.signed('vim.bound-volumes.request', request);
    return this.client.request(boundVolumesContract, asked, { within: CLUSTER_WITHIN });
  }

  /**
   * The nodes of the cluster that a VNF instance has deployed, or why the cluster does not answer.
   * @throws RequestError 404 `cluster.not-registered`; 429 where too many requests of the project wait
   */
  clusterNodes(request: ClusterNodesRequest): Promise<ClusterNodesReply> {
    const asked = this.#administration.signed('vim.cluster-nodes.request', request);
    return this.client.request(clusterNodesContract, asked, { within: NODES_WITHIN });
  }

  /**
   * What opens the cluster that a VNF instance has deployed.
   * @param request as of {@link register}: the registry keeps it in the audit trail before it answers
   * @throws RequestError 404 `cluster.not-registered`; TerminalError `sealing.broken` where a stranger answered
   */
  async clusterAccess(tenant: string, vnfInstanceId: string, request: TrailedRequest): Promise<RegisteredCluster> {
    const pair = KeyPair.generate();
    const type = 'vim.cluster-access.request';
    const words: ClusterAccessRequest = { tenant, vnfInstanceId, sealTo: pair.public.x, request };
    const asked = this.#administration.signed(type, words);
    const { sealed } = await this.client.request(clusterAccessContract, asked);
    return JSON.parse(open(pair, sealed, this.#administration.boundTo(type, asked)).toString('utf8')) as RegisteredCluster;
  }

  async list(request: VimListRequest): Promise<VimView[]> {
    return (await this.client.request(listVimsContract, this.#administration.signed('vim.list.request', request))).vims;
  }

  show(tenant: string, id: string): Promise<VimView> {
    return this.client.request(showVimContract, this.#administration.signed<VimRequest>('vim.show.request', { tenant, id }));
  }

  /** @param request as of {@link register} */
  async delete(tenant: string, id: string, request: TrailedRequest): Promise<void> {
    await this.client.request(deleteVimContract, this.#administration.signed('vim.delete.request', { tenant, id, request }));
  }

  #seal(value: object, additionalData: string): SealedBox {
    return seal(publicKey(this.#key), Buffer.from(JSON.stringify(value)), additionalData);
  }
}
