import type { Vacancy } from '../ports.js';
import type { EnginePolicy } from '../engine/policy.js';
import { isQuarantineKey } from '../engine/quarantine.js';
import type { MachineEffects } from '../engine/transitions.js';

/** Steps that are called together at most, once what they look for is made: the others follow one by one, each when one of these has looked. */
const CALLED_TO_LOOK = 256;

/** Keys under which somebody may wait for a place that is free now: who that is, is looked for once all is committed. */
export const vacanciesOf = ({ freed, left, refused, made }: MachineEffects, { limitOf }: EnginePolicy): Vacancy[] =>
  [...new Set([...freed, ...left, ...refused])].flatMap((key): Vacancy[] => {
    // Those that look need no place.
    if (made.has(key)) return [{ key, limit: null, most: CALLED_TO_LOOK }];
    if (isQuarantineKey(key)) return [{ key, limit: null, most: 1 }];
    const limit = limitOf(key);
    if (limit === undefined) return [];
    return [{ key, limit, most: 1, ...(freed.has(key) || left.includes(key) ? {} : { refused: true }) }];
  });
