import type { AffectedVnfc } from '@windlass/mgmt-driver';
import { countsNow, type RequestEffect } from '../../operation/request-effect.js';
import { standsIn } from './leaving-members.js';
import { changesOf, type Scaling, type ScalingContext } from './scaling.js';
import { instantiatedOf } from '../../records/instantiated.js';

/** How many there will be of each VDU, and who of those that leave is named. @param scalingOf what the operation's request comes to */
export const scalingEffect =
  (scalingOf: (context: ScalingContext) => Scaling) =>
  (context: ScalingContext): RequestEffect => {
    const scaling = scalingOf(context);
    const changes = changesOf(context, scaling);
    const counts = Object.entries(countsNow(context)).map(([vduId, count]) => [vduId, count + (changes[vduId] ?? 0)]);
    const { vnfcs } = instantiatedOf(context.instance);
    const affectedVnfcs = vnfcs
      .filter((vnfc) => standsIn(scaling.named, vnfc))
      .map((vnfc): AffectedVnfc => ({ changeType: 'REMOVED', vnfc }));
    return { counts: Object.fromEntries(counts) as Record<string, number>, affectedVnfcs };
  };
