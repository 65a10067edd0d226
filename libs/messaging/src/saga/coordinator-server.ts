import type { CoordinatorClient, RenewReply, RenewRequest, ResultReply, WorkerOutcome } from '@windlass/saga';
import { publicKey } from '../sealing/key-pair.js';
import { seal } from '../sealing/sealed-box.js';
import type { CoreKeys } from './core-keys.js';
import { stepAad, type ClaimAnswer, type ClaimMessage, type ResultMessage } from './saga-contracts.js';

/** The coordinator's side of the road: opens what workers send, seals what they get. */
export class CoordinatorServer {
  constructor(
    private readonly coordinator: CoordinatorClient,
    private readonly keys: CoreKeys,
  ) {}

  async claim({ publicKey: x, ...request }: ClaimMessage): Promise<ClaimAnswer> {
    const recipient = publicKey(x);
    const reply = await this.coordinator.claim(request);
    if (!reply.granted) return { granted: false, reason: reply.reason };
    const sealedClaim = seal(
      recipient,
      Buffer.from(JSON.stringify(reply.claim)),
      stepAad('claim', { ...request, epoch: reply.claim.epoch - 1 }),
    );
    return { granted: true, sealedClaim, coordinatorKey: this.keys.publicX };
  }

  renew(request: RenewRequest): Promise<RenewReply> {
    return this.coordinator.renew(request);
  }

  result({ sealedOutcome, ...step }: ResultMessage): Promise<ResultReply> {
    const outcome = JSON.parse(this.keys.open(sealedOutcome, stepAad('outcome', step)).toString('utf8')) as WorkerOutcome;
    return this.coordinator.result({ ...step, outcome });
  }
}
