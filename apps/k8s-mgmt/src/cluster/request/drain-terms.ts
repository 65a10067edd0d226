import { paramsAs } from '@windlass/driver-kit';
import { minutes } from '@windlass/foundation';
import { SOURCES, type HookContext } from '@windlass/mgmt-driver';
import { source, sourced, type GivenInput } from '@windlass/saga';
import type { DrainNodeInput } from '../nodes/drain-node.action.js';

/** What requests to scale and to heal say of nodes that leave, at the top of their `additionalParams`. */
export interface DrainParams {
  /** How long pods may take to go; 300 unless given. */
  drain_timeout_seconds?: number;
  /** Whether pods that have not gone by then go with the node; no unless given. */
  drain_force?: boolean;
}

/** Seconds. */
export const DEFAULT_DRAIN_TIMEOUT = minutes(5) / 1_000;

export function drainTerms({ requestParams }: HookContext): GivenInput<Pick<DrainNodeInput, 'withinMs' | 'force' | 'retried'>> {
  const { drain_timeout_seconds: timeout = DEFAULT_DRAIN_TIMEOUT, drain_force: force = false } =
    paramsAs<DrainParams>(requestParams);
  return { withinMs: timeout * 1_000, force, retried: sourced(source<DrainParams>(SOURCES.retryParams)) };
}
