/** How often a fault strikes: so many times, or until it is taken away. */
export type Times = number | 'always';

interface OnRequests {
  /** HTTP method; any when absent. */
  method?: string;
  /** A regular expression that the path with its query must match, such as `/orchestration/.*\/stacks$`. */
  path: string;
  times: Times;
}

/** Something that goes wrong on demand. */
export type Fault =
  /** Every stack whose name matches waits so long before it begins its work. */
  | { kind: 'slow-stack'; delayMs: number; stackName?: string; times: Times }
  /** Every stop and start of a server whose name matches takes so long. */
  | { kind: 'slow-power'; delayMs: number; serverName?: string; times: Times }
  /** The action on a resource of that name (or type) fails with this reason. */
  | {
      kind: 'fail-resource';
      resource: string;
      action?: 'CREATE' | 'UPDATE' | 'DELETE';
      stackName?: string;
      reason: string;
      times: Times;
    }
  /** The request is served, then the connection is closed without an answer. */
  | ({ kind: 'lost-answer' } & OnRequests)
  /** The request is not served; this status is the answer. */
  | ({ kind: 'status'; status: number; retryAfterSeconds?: number; message?: string } & OnRequests)
  /** The request is neither served nor answered until the client goes, or `forMs` have passed; then it is served. */
  | ({ kind: 'hang'; forMs?: number } & OnRequests)
  /** The service refuses to make more. */
  | { kind: 'quota-exceeded'; service: 'nova' | 'neutron' | 'cinder'; times: Times }
  /** Ends all tokens that are out now, at once. */
  | { kind: 'expire-tokens' };

export interface ArmedFault {
  id: string;
  fault: Fault;
  /** How often it struck. */
  struck: number;
}
