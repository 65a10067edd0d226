import { RequestError } from '@windlass/foundation';
import type { HostKeyReply, HostKeyRequest } from '@windlass/messaging';
import type { ClaimedMachine, NamedClaim, PgAuditTrail, PgHostKeys } from '@windlass/persistence';
import type { DataSource } from 'typeorm';
import type { Author } from './vims.js';

/**
 * Host keys on behalf of claims: of the VNFCs of the claim's own operation, and of the operator's servers under ids that begin with its VNF
 * instance's id (`serverId` of libs/driver-kit). A key that an instance pins of such a server counts for that instance alone.
 */
export class HostKeys {
  constructor(
    private readonly database: DataSource,
    private readonly keys: PgHostKeys,
    private readonly trail: PgAuditTrail,
  ) {}

  /** @throws RequestError 403 `host-key.foreign-server` */
  static assertOwn({ vnfcId, vnfInstanceId }: ClaimedMachine, resourceId: string): void {
    if (vnfcId !== null || resourceId.startsWith(`${vnfInstanceId}:`)) return;
    throw new RequestError(
      403,
      'host-key.foreign-server',
      `server ${resourceId} is no VNFC of VNF instance ${vnfInstanceId}, and no server that it knows by an id of its own: a step reads and pins host keys of its own instance alone`,
    );
  }

  /**
   * Answers with the pinned key, whatever key was shown. Where none is pinned, the shown key is pinned, if it is among the keys that were known
   * beforehand.
   * @throws RequestError 400 for a text that is no key, 409 `host-key.not-known-beforehand`
   */
  async answer(request: HostKeyRequest, claim: NamedClaim, machine: ClaimedMachine, author: Author): Promise<HostKeyReply> {
    const { pinned } = machine;
    if (pinned !== null) return { keys: [pinned], pinned: true };
    const known = machine.known ?? [];
    if (request.key === undefined) return { keys: known, pinned: false };
    const key = checkedKey(request.key);
    if (known.length > 0 && !known.includes(key)) throw notKnownBeforehand(request.resourceId);
    const isFirst = await this.database.transaction(async (manager) => {
      const first = await this.keys.pin({ resourceId: request.resourceId, key }, claim, machine, manager);
      if (first) await this.trail.add({ ...author, code: null, tenant: machine.tenant }, manager);
      return first;
    });
    return { keys: [isFirst ? key : ((await this.keys.find(machine.vnfInstanceId, request.resourceId)) ?? key)], pinned: true };
  }
}

function checkedKey(key: string): string {
  if (/^[a-z0-9@.-]{1,64} [A-Za-z0-9+/]+={0,2}$/.test(key)) return key;
  throw new RequestError(400, 'host-key.invalid', '/key: expected a type and base64, as in a known_hosts file');
}

const notKnownBeforehand = (resourceId: string): RequestError =>
  new RequestError(
    409,
    'host-key.not-known-beforehand',
    `the host key that server ${resourceId} shows is none of those that were given for it: it is not pinned`,
  );
