import type { ObjectRef } from './cluster-objects.js';
import type { InternalKind, InternalState } from './internal-operation.js';

/** One thing that is not as it should be. */
export interface AuditFinding {
  vimId: string;
  type: 'stack' | 'image' | 'server' | 'port' | 'volume' | 'object';
  id: string;
  name: string;
  vnfInstanceId?: string;
  detail: string;
  /** Of an object of a Kubernetes cluster. */
  ref?: ObjectRef;
}

/** A clean-up or a refresh that waits for its next attempt, or was given up. */
export interface WaitingInternal {
  id: string;
  kind: InternalKind;
  vnfInstanceId: string | null;
  state: InternalState;
  attempts: number;
  retryAt: string | null;
  error: string | null;
}

/** What `./windlass vnf audit` tells. */
export interface AuditReport {
  /** When the first look at the database was. */
  at: string;
  vims: { id: string; name: string; failure?: string }[];
  /** Things with the tag of this Windlass that the database does not know: `--fix` removes them. */
  orphans: AuditFinding[];
  /** Things that the database has and the VIM does not. */
  missing: AuditFinding[];
  /** Things in our servers that are not of our stacks. Never touched. */
  foreign: AuditFinding[];
  /** Other things in which database and VIM differ. */
  differences: AuditFinding[];
  /** Things with Windlass's tags but not those of this Windlass, and of no instance of its. Never touched, and no difference. */
  unclaimed: AuditFinding[];
  /** Instances on which something works: nothing is reported of them. */
  busy: string[];
  waiting: WaitingInternal[];
  /** Clean-ups that this audit has begun, by their ids. */
  cleanUps: string[];
}
