import { defineContract } from '../contracts/contract.js';
import { subjects } from '../subjects.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** In what a package's script is written. */
export interface RunnableRequest {
  language: 'python' | 'javascript';
}

/** Whether scripts of that kind can be run, and why not. */
export interface RunnableReply {
  runnable: boolean;
  reason?: string;
}

/** Asked before a request is accepted that names a script. Nobody relies on the answer: the step that runs it looks for itself. */
export const runnableContract = defineContract<RunnableRequest, RunnableReply>({
  name: 'user-data.runnable',
  subject: subjects.userData('runnable'),
  request: {
    $schema: draft,
    title: 'Whether user data scripts of packages can be run, in that language',
    type: 'object',
    additionalProperties: false,
    required: ['language'],
    properties: { language: { enum: ['python', 'javascript'] } },
  },
  reply: {
    $schema: draft,
    title: 'Whether they can, and why not',
    type: 'object',
    required: ['runnable'],
    properties: { runnable: { type: 'boolean' }, reason: { type: 'string', maxLength: 2048 } },
  },
});
