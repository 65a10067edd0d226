import { paramsAs } from '@windlass/driver-kit';
import { SOURCES, type HookContext } from '@windlass/mgmt-driver';
import { source, sourced, type GivenInput } from '@windlass/saga';
import { DEFAULT_DRAIN_TIMEOUT, type DrainParams } from '../../parameters/of-clusters.js';
import type { DrainNodeInput } from '../nodes/drain-node.action.js';

export function drainTerms({ requestParams }: HookContext): GivenInput<Pick<DrainNodeInput, 'withinMs' | 'force' | 'retried'>> {
  const { drain_timeout_seconds: timeout = DEFAULT_DRAIN_TIMEOUT, drain_force: force = false } =
    paramsAs<DrainParams>(requestParams);
  return { withinMs: timeout * 1_000, force, retried: sourced(source<DrainParams>(SOURCES.retryParams)) };
}
