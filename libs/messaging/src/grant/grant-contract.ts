import { shape, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';

const grantedBy = shape.object({ by: shape.oneOf(['nfvo', 'coordinator']) });

/** Who grants: an NFVO, or the coordinators themselves. */
export type GrantedBy = TypeOf<typeof grantedBy>;

/** Asks who grants, for a plan that is only shown: the coordinators' configuration decides. An operation learns it when it begins. */
export const grantedByContract = defineContract({
  name: 'grant.by',
  subject: subjects.grant('by'),
  request: message(shape.titled('Who would grant an operation that begins now', shape.nothing)),
  reply: message(shape.titled('An NFVO, or the coordinators themselves', grantedBy)),
});
