import { defineContract } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** Who grants: an NFVO, or the coordinators themselves. */
export interface GrantedBy {
  by: 'nfvo' | 'coordinator';
}

/** Asked for a plan that is only looked at: who grants is the coordinators' configuration. An operation finds out by itself when it begins. */
export const grantedByContract = defineContract<Record<string, never>, GrantedBy>({
  name: 'grant.by',
  subject: subjects.grant('by'),
  request: { $schema: draft, title: 'Who would grant an operation that begins now', type: 'object', additionalProperties: false },
  reply: {
    $schema: draft,
    title: 'An NFVO, or the coordinators themselves',
    type: 'object',
    required: ['by'],
    properties: { by: { enum: ['nfvo', 'coordinator'] } },
  },
});
