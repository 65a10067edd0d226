import { countsNow, type RequestOutlook } from '../operations/request-outlook.js';
import { changesOf, type Scaling, type ScalingContext } from './scaling.js';

/** How many there will be of each VDU. @param scalingOf what the operation's request comes to */
export const scaledOutlook =
  (scalingOf: (context: ScalingContext) => Scaling) =>
  (context: ScalingContext): RequestOutlook => {
    const changes = changesOf(context, scalingOf(context));
    const counts = Object.entries(countsNow(context)).map(([vduId, count]) => [vduId, count + (changes[vduId] ?? 0)]);
    return { counts: Object.fromEntries(counts) as Record<string, number> };
  };
