import type { VimChoice } from '../model/records.js';
import type { WaitingInternal } from './audit-report.js';

/** What the database says of one instance's things in a VIM. */
export interface ExpectedVnf {
  vnfInstanceId: string;
  tenant: string;
  instantiationState: 'NOT_INSTANTIATED' | 'INSTANTIATED';
  /** Where its things lie, or what was left lies. */
  vim: VimChoice | null;
  stack: { name: string; id?: string } | null;
  images: string[];
  /** Servers, ports and volumes as published. */
  resources: { type: ResourceType; id: string; name: string }[];
  /** It is what a failed operation left: it may be there or not. */
  leftover: boolean;
}

export type ResourceType = 'server' | 'port' | 'volume';

/** A look at the database, in one transaction. */
export interface AuditView {
  /** PostgreSQL's clock, ISO 8601. */
  at: string;
  vnfs: ExpectedVnf[];
  /** Instances that an operation in flight, a pending clean-up or a refresh works on: nothing is said of their things. */
  busy: string[];
  /** Clean-ups and refreshes that failed and wait, or were given up. */
  waiting: (WaitingInternal & { tenant: string })[];
}
