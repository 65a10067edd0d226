import { seconds, TransientError, type Duration } from '@windlass/foundation';
import type { Contract } from '../contracts/contract.js';
import type { ClaimIdentity, ProvenMessage } from '../enrolment/claim-proof.js';
import type { RequestClient } from '../request/request-client.js';
import { publicKey } from '../sealing/key-pair.js';
import { seal, type SealedBox } from '../sealing/sealed-box.js';
import {
  keepSnapshotContract,
  readPartAad,
  readSnapshotContract,
  snapshotPartAad,
  type SnapshotPartReply,
  type SnapshotPartRequest,
  type SnapshotReply,
  type SnapshotRequest,
} from './snapshot-contract.js';
import {
  clusterAad,
  registerClusterContract,
  registryKeyContract,
  removeClusterContract,
  showClusterContract,
  type ClaimedReply,
  type ClaimedRequest,
  type ClusterRegistration,
  type ClusterView,
} from './vim-claim-contracts.js';

/** Which claim: a step, from one epoch on. */
export interface ClaimKey {
  operationId: string;
  stepId: string;
  epoch: number;
}

/** Speaks for the claims that this worker was granted; NatsCoordinatorClient implements it. */
export interface ClaimProofs {
  /** The message with its claim and the proof over all of it. @throws InvariantError for a claim that was not granted here */
  proven<Body extends object>(claim: ClaimKey, type: string, body: Body): Body & ClaimIdentity & { proof: string };
  /** Whether the sender of the message knows the claim's secret. */
  confirms(claim: ClaimKey, message: ProvenMessage, proof: string): boolean;
  /** Opens what is sealed to this worker's key. @throws TerminalError `sealing.*` */
  opened(box: SealedBox, additionalData: string): Buffer;
}

export interface ClaimAskOptions {
  /** How long one try waits for its answer; 5 s by default. */
  each?: Duration;
  /** How long all tries together may take. Without a limit there is one try. */
  within?: Duration;
}

/** Asks core services on behalf of claims. The claim's secret proves each request as a whole, and its answer. */
export class ClaimAsker {
  constructor(
    private readonly client: RequestClient,
    private readonly proofs: ClaimProofs,
  ) {}

  /** @throws TransientError `messaging.not-proven` where a stranger answered; beside that as RequestClient */
  async ask<Request extends object, Reply>(
    contract: Contract<ClaimedRequest<Request>, ClaimedReply<Reply>>,
    claim: ClaimKey,
    body: Request,
    { each = seconds(5), within }: ClaimAskOptions = {},
  ): Promise<ClaimedReply<Reply>> {
    const message: ClaimedRequest<Request> = this.proofs.proven(claim, `${contract.name}.request`, body);
    const reply =
      within === undefined
        ? await this.client.request(contract, message, { within: each })
        : await this.client.requestUntilAnswered(contract, message, { each, within });
    const { proof, ...answer } = reply;
    if (!this.proofs.confirms(claim, { type: `${contract.name}.reply`, data: { ...answer, to: message.proof } }, proof))
      throw new TransientError(
        'messaging.not-proven',
        `the answer on ${contract.subject} is not that of a core service: it was dropped`,
      );
    return reply;
  }
}

/** The trial of a cluster's credentials takes a few round trips to the cluster. */
const CHECK_WITHIN = seconds(30);

/** After the last part the registry reads all parts again. */
const PART_TRIES: ClaimAskOptions = { each: seconds(20), within: seconds(60) };

/** What a step may ask of the VIM registry: the cluster of its own VNF instance, and nothing else. */
export class ClaimVimClient {
  readonly #asker: ClaimAsker;
  #key: string | undefined;

  constructor(
    client: RequestClient,
    private readonly proofs: ClaimProofs,
  ) {
    this.#asker = new ClaimAsker(client, proofs);
  }

  /** @throws RequestError 400 for wrong fields or refused credentials, 409 for a name that is taken or a claim that is not held */
  async register(claim: ClaimKey, cluster: ClusterRegistration): Promise<ClusterView> {
    const sealed = seal(publicKey(await this.#registryKey(claim)), Buffer.from(JSON.stringify(cluster)), clusterAad(claim));
    return (await this.#asker.ask(registerClusterContract, claim, { sealed }, { each: CHECK_WITHIN })).vim;
  }

  /** The registered cluster, where the instance has one, and the VNF instances that use it. */
  show(claim: ClaimKey): Promise<{ vim?: ClusterView; vnfInstanceIds: string[] }> {
    return this.#asker.ask(showClusterContract, claim, {});
  }

  /** @throws RequestError 409 while something uses the cluster */
  async remove(claim: ClaimKey): Promise<void> {
    await this.#asker.ask(removeClusterContract, claim, {});
  }

  /**
   * Announces a snapshot of the instance's control plane, or brings a part of the announced snapshot.
   * @throws RequestError 400 for a part that does not fit the announcement, 409 without an announcement, or for a claim that is not held
   */
  async keepSnapshot(
    claim: ClaimKey,
    { sha256, size, master, ca }: Omit<SnapshotRequest, 'part'>,
    part?: { number: number; bytes: Uint8Array },
  ): Promise<SnapshotReply> {
    const announced = { sha256, size, master, ...(ca === undefined ? {} : { ca }) };
    const asked: SnapshotRequest =
      part === undefined ? announced : { ...announced, part: await this.#sealed(claim, sha256, part) };
    const { state, kept, mostBytes } = await this.#asker.ask(keepSnapshotContract, claim, asked, PART_TRIES);
    return { state, kept, mostBytes };
  }

  /**
   * A part of a snapshot of the instance's cluster as it is now, and the archive that the part is of: the newest, unless an archive is named.
   * @throws RequestError 404 `snapshot.none` where there is no snapshot (any more), 403 outside a heal, 409 for a claim that is not held
   */
  async readSnapshot(
    claim: ClaimKey,
    { number, sha256 }: SnapshotPartRequest,
  ): Promise<Omit<SnapshotPartReply, 'sealed'> & { bytes: Buffer }> {
    const asked = { number, ...(sha256 === undefined ? {} : { sha256 }) };
    const reply = await this.#asker.ask(readSnapshotContract, claim, asked, PART_TRIES);
    const bytes = this.proofs.opened(reply.sealed, readPartAad(claim, reply.sha256, number));
    return { sha256: reply.sha256, size: reply.size, master: reply.master, takenAt: reply.takenAt, bytes };
  }

  async #sealed(
    claim: ClaimKey,
    sha256: string,
    { number, bytes }: { number: number; bytes: Uint8Array },
  ): Promise<NonNullable<SnapshotRequest['part']>> {
    const key = publicKey(await this.#registryKey(claim));
    return { number, sealed: seal(key, Buffer.from(bytes), snapshotPartAad(claim, sha256, number)) };
  }

  async #registryKey(claim: ClaimKey): Promise<string> {
    this.#key ??= (await this.#asker.ask(registryKeyContract, claim, {})).publicKey;
    return this.#key;
  }
}
