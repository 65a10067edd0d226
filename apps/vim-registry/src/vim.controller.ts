import { Controller } from '@nestjs/common';
import type { JsonObject } from '@windlass/foundation';
import {
  boundVolumesContract,
  checkVimContract,
  clusterAccessContract,
  clusterNodesContract,
  CoreKeys,
  deleteVimContract,
  listVimsContract,
  publicKey,
  registerVimContract,
  seal,
  Serves,
  showVimContract,
  updateVimContract,
  vimAad,
  VimAdministration,
  vimNetworksContract,
  type Administrated,
  type BoundVolumesReply,
  type BoundVolumesRequest,
  type ClusterAccessRequest,
  type ClusterNodesReply,
  type ClusterNodesRequest,
  type SealedBox,
  type SealedVimRequest,
  type TrailedRequest,
  type VimCheckRequest,
  type VimFinding,
  type VimListRequest,
  type VimNetworksReply,
  type VimNetworksRequest,
  type VimRegistration,
  type VimRequest,
  type VimView,
} from '@windlass/messaging';
import { BoundVolumes } from './bound-volumes.js';
import { VimChecks } from './vim-checks.js';
import { ClusterAccesses } from './cluster-accesses.js';
import { ClusterNodes } from './cluster-nodes.js';
import { VimNetworks, type DescribedAccess } from './vim-networks.js';
import { Vims, type Author } from './vims.js';

/** `windlass.vim.<verb>`: administration, for the holders of the master key. */
@Controller()
export class VimController {
  constructor(
    private readonly vims: Vims,
    private readonly keys: CoreKeys,
    private readonly administration: VimAdministration,
    private readonly checks: VimChecks,
    private readonly boundVolumes: BoundVolumes,
    private readonly accesses: ClusterAccesses,
    private readonly networks: VimNetworks,
    private readonly nodes: ClusterNodes,
  ) {}

  @Serves(registerVimContract)
  register(asked: Administrated<SealedVimRequest>): Promise<VimView> {
    this.administration.assertSigned('vim.register.request', asked);
    const { tenant, sealed, request } = asked;
    const registration = JSON.parse(this.keys.open(sealed, vimAad('register', tenant)).toString('utf8')) as VimRegistration;
    return this.vims.register(tenant, registration, authorOf(request));
  }

  @Serves(updateVimContract)
  update(asked: Administrated<SealedVimRequest & { id: string }>): Promise<VimView> {
    this.administration.assertSigned('vim.update.request', asked);
    const { tenant, id, sealed, request } = asked;
    const change = JSON.parse(this.keys.open(sealed, vimAad('update', tenant, id)).toString('utf8')) as JsonObject;
    return this.vims.update(tenant, id, change, authorOf(request));
  }

  @Serves(listVimsContract)
  async list(asked: Administrated<VimListRequest>): Promise<{ vims: VimView[] }> {
    this.administration.assertSigned('vim.list.request', asked);
    const { tenant, id, name } = asked;
    const filter = { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) };
    return { vims: await this.vims.list(tenant, filter) };
  }

  @Serves(showVimContract)
  show(asked: Administrated<VimRequest>): Promise<VimView> {
    this.administration.assertSigned('vim.show.request', asked);
    return this.vims.show(asked.tenant, asked.id);
  }

  @Serves(checkVimContract)
  async check(asked: Administrated<VimCheckRequest>): Promise<{ findings: VimFinding[] }> {
    this.administration.assertSigned('vim.check.request', asked);
    return { findings: await this.checks.check(asked.tenant, asked.id, asked.needs) };
  }

  @Serves(vimNetworksContract)
  named(asked: Administrated<VimNetworksRequest>): Promise<VimNetworksReply> {
    this.administration.assertSigned('vim.networks.request', asked);
    const { tenant, id, described } = asked;
    const access =
      described === undefined
        ? undefined
        : (JSON.parse(this.keys.open(described, vimAad('look', tenant, id)).toString('utf8')) as DescribedAccess);
    return this.networks.find(asked, access);
  }

  @Serves(boundVolumesContract)
  bound(asked: Administrated<BoundVolumesRequest>): Promise<BoundVolumesReply> {
    this.administration.assertSigned('vim.bound-volumes.request', asked);
    return this.boundVolumes.of(asked.tenant, asked.vnfInstanceId);
  }

  @Serves(clusterNodesContract)
  nodesOf(asked: Administrated<ClusterNodesRequest>): Promise<ClusterNodesReply> {
    this.administration.assertSigned('vim.cluster-nodes.request', asked);
    return this.nodes.of(asked.tenant, asked.vnfInstanceId);
  }

  @Serves(clusterAccessContract)
  async clusterAccess(asked: Administrated<ClusterAccessRequest>): Promise<{ sealed: SealedBox }> {
    const type = 'vim.cluster-access.request';
    this.administration.assertSigned(type, asked);
    const { tenant, vnfInstanceId, sealTo, request } = asked;
    const author = { ...authorOf(request), operation: 'KUBECONFIG', vnfInstanceId };
    const access = await this.accesses.give(tenant, vnfInstanceId, author);
    const bound = this.administration.boundTo(type, asked);
    return { sealed: seal(publicKey(sealTo), Buffer.from(JSON.stringify(access)), bound) };
  }

  @Serves(deleteVimContract)
  async delete(asked: Administrated<VimRequest & { request: TrailedRequest }>): Promise<Record<string, never>> {
    this.administration.assertSigned('vim.delete.request', asked);
    await this.vims.delete(asked.tenant, asked.id, authorOf(asked.request));
    return {};
  }
}

const authorOf = (request: TrailedRequest): Author => ({
  ...request,
  operation: null,
  vnfInstanceId: null,
  operationId: null,
  detail: null,
});
