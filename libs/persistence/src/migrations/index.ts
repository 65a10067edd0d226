import { Engine1700000000001 } from './1-engine.js';
import { Lcm1700000000002 } from './2-lcm.js';
import { Enrolment1700000000005 } from './5-enrolment.js';

/** In order. A migration that has run anywhere is never changed: the next one corrects it. */
export const migrations = [Engine1700000000001, Lcm1700000000002, Enrolment1700000000005];
