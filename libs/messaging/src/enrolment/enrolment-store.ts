import type { Duration } from '@windlass/foundation';

/** The X25519 key of a worker as the coordinators know it. */
export interface WorkerKey {
  /** The thumbprint of the key (RFC 7638). */
  id: string;
  /** The only service whose steps are sealed to it. */
  service: string;
  /** 32 bytes, base64url. */
  publicKey: string;
  revoked: boolean;
}

/** A token as it is kept: its hash, what it is for and what it still gives. */
export interface KeptToken {
  id: string;
  service: string;
  hash: Buffer;
  revoked: boolean;
  expired: boolean;
  usedUp: boolean;
}

export interface NewWorkerKey {
  id: string;
  service: string;
  publicKey: string;
  /** The replica that brought it, for people. */
  worker: string;
}

/** Where keys and tokens are kept: PostgreSQL. */
export interface EnrolmentStore {
  key(id: string): Promise<WorkerKey | undefined>;
  /** A worker has asked with this key, which is enrolled: those that none asks with any more are removed one day. */
  seen(id: string): Promise<void>;
  /** Every key that is enrolled for the service, revoked ones too. */
  keysOf(service: string): Promise<WorkerKey[]>;
  token(id: string): Promise<KeptToken | undefined>;
  /**
   * Keeps the key and takes one use of the token, both or neither. Whether that came about: not when the token expired, was revoked or used up
   * meanwhile. A key that is there already stays as it is and takes no use.
   */
  enrol(key: NewWorkerKey, tokenId: string): Promise<boolean>;
}

/** What an operator wants of a new token. */
export interface TokenRequest {
  service: string;
  /** Undefined: until it is revoked. */
  validFor?: Duration;
  /** Undefined: any number. */
  uses?: number;
}
