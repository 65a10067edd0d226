import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  clusterAad,
  CoreKeys,
  hostKeyContract,
  keepSnapshotContract,
  readSnapshotContract,
  registerClusterContract,
  registryKeyContract,
  removeClusterContract,
  RequestContext,
  Serves,
  showClusterContract,
  snapshotPartAad,
  type ClaimedReply,
  type ClaimedRequest,
  type ClusterRegistration,
  type ClusterView,
  type HostKeyReply,
  type HostKeyRequest,
  type SealedBox,
  type SnapshotPartReply,
  type SnapshotPartRequest,
  type SnapshotReply,
  type SnapshotRequest,
} from '@windlass/messaging';
import { clusterVimId } from '@windlass/mgmt-driver';
import { PgClaims, PgHostKeys, type NamedClaim } from '@windlass/persistence';
import { ClaimAuthenticator } from './claim-authenticator.js';
import { ClusterSnapshots, SnapshotReads } from './cluster-snapshots.js';
import { Clusters, type ClusterOwner } from './clusters.js';
import { HostKeys } from './host-keys.js';

/** `windlass.vim-claim.<verb>`: what a claim may ask. Whose project and VNF instance it is, the journal says. */
@Controller()
export class ClaimController {
  constructor(
    private readonly authenticator: ClaimAuthenticator,
    private readonly claims: PgClaims,
    private readonly clusters: Clusters,
    private readonly keys: CoreKeys,
    private readonly hostKeys: HostKeys,
    private readonly pins: PgHostKeys,
    private readonly snapshots: ClusterSnapshots,
    private readonly reads: SnapshotReads,
  ) {}

  @Serves(registryKeyContract)
  key(@Payload() request: ClaimedRequest<object>, @Ctx() context: RequestContext): Promise<ClaimedReply<{ publicKey: string }>> {
    return this.authenticator.authenticate(registryKeyContract, request, context.info, () => ({ publicKey: this.keys.publicX }));
  }

  @Serves(registerClusterContract)
  register(
    @Payload() request: ClaimedRequest<{ sealed: SealedBox }>,
    @Ctx() context: RequestContext,
  ): Promise<ClaimedReply<{ vim: ClusterView }>> {
    return this.authenticator.authenticate(registerClusterContract, request, context.info, async (asker) => {
      const { claim } = asker;
      const owner = await this.#owner(claim);
      const cluster = JSON.parse(this.keys.open(request.sealed, clusterAad(claim)).toString('utf8')) as ClusterRegistration;
      const { vnfInstanceId } = owner;
      const vim = await this.clusters.register(owner, cluster, asker.author(vnfInstanceId, { vim: clusterVimId(vnfInstanceId) }));
      return { vim };
    });
  }

  @Serves(showClusterContract)
  show(
    @Payload() request: ClaimedRequest<object>,
    @Ctx() context: RequestContext,
  ): Promise<ClaimedReply<{ vim?: ClusterView; vnfInstanceIds: string[] }>> {
    return this.authenticator.authenticate(showClusterContract, request, context.info, async ({ claim }) =>
      this.clusters.show(await this.#owner(claim)),
    );
  }

  @Serves(removeClusterContract)
  remove(
    @Payload() request: ClaimedRequest<object>,
    @Ctx() context: RequestContext,
  ): Promise<ClaimedReply<{ removed: boolean }>> {
    return this.authenticator.authenticate(removeClusterContract, request, context.info, async (asker) => {
      const { claim } = asker;
      const owner = await this.#owner(claim);
      const { vnfInstanceId } = owner;
      const removed = await this.clusters.remove(owner, asker.author(vnfInstanceId, { vim: clusterVimId(vnfInstanceId) }));
      return { removed };
    });
  }

  @Serves(hostKeyContract)
  hostKey(
    @Payload() request: ClaimedRequest<HostKeyRequest>,
    @Ctx() context: RequestContext,
  ): Promise<ClaimedReply<HostKeyReply>> {
    return this.authenticator.authenticate(hostKeyContract, request, context.info, async (asker) => {
      const { claim } = asker;
      const { resourceId } = request;
      const machine = this.authenticator.requireHeld(await this.pins.machine(claim, resourceId), claim);
      HostKeys.assertOwn(machine, resourceId);
      return this.hostKeys.answer(request, claim, machine, asker.author(machine.vnfInstanceId, { server: resourceId }));
    });
  }

  @Serves(keepSnapshotContract)
  keepSnapshot(
    @Payload() request: ClaimedRequest<SnapshotRequest>,
    @Ctx() context: RequestContext,
  ): Promise<ClaimedReply<SnapshotReply>> {
    return this.authenticator.authenticate(keepSnapshotContract, request, context.info, async (asker) => {
      const { claim } = asker;
      const { tenant, vnfInstanceId } = await this.#owner(claim);
      const { sha256, master, part } = request;
      const opened = part && {
        number: part.number,
        bytes: this.keys.open(part.sealed, snapshotPartAad(claim, sha256, part.number)),
      };
      const author = { ...asker.author(vnfInstanceId, { master, sha256 }), operation: 'SNAPSHOT', tenant, vnfInstanceId };
      return this.snapshots.take(request, opened, claim, author);
    });
  }

  @Serves(readSnapshotContract)
  readSnapshot(
    @Payload() request: ClaimedRequest<SnapshotPartRequest>,
    @Ctx() context: RequestContext,
  ): Promise<ClaimedReply<SnapshotPartReply>> {
    return this.authenticator.authenticate(readSnapshotContract, request, context.info, async (asker) => {
      const { claim } = asker;
      const { tenant, vnfInstanceId } = await this.#owner(claim);
      const author = { ...asker.author(vnfInstanceId, {}), operation: 'SNAPSHOT', tenant, vnfInstanceId };
      return this.reads.read(request, claim, author);
    });
  }

  async #owner(claim: NamedClaim): Promise<ClusterOwner> {
    const { tenant, vnfInstanceId } = this.authenticator.requireHeld(await this.claims.standing(claim), claim);
    return { tenant, vnfInstanceId, operationId: claim.operationId };
  }
}
