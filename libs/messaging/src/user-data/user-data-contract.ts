import { defineContract } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** In what a package's script is written, and the script. */
export interface RunnableRequest {
  language: 'python' | 'javascript';
  /** Of Python. */
  asked?: AskedScript;
}

/** A script that is looked at and not run. */
export interface AskedScript {
  /** Whose it is: projects are served in turn. */
  tenant: string;
  /** Its path in the package. */
  path: string;
  className: string;
  /** Modules that must be installed for it and for what it imports. */
  modules: string[];
  /** Absent where it is large. */
  text?: string;
}

/** Whether scripts of that kind can be run, or this one, and why not. */
export interface RunnableReply {
  runnable: boolean;
  reason?: string;
  /** The class that the request names is not in the script. */
  lacksClass?: boolean;
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
    properties: {
      language: { enum: ['python', 'javascript'] },
      asked: {
        type: 'object',
        additionalProperties: false,
        required: ['tenant', 'path', 'className', 'modules'],
        properties: {
          tenant: { type: 'string', maxLength: 255 },
          path: { type: 'string', minLength: 1, maxLength: 4096 },
          className: { type: 'string', minLength: 1, maxLength: 200 },
          modules: { type: 'array', maxItems: 50, items: { type: 'string', minLength: 1, maxLength: 200 } },
          text: { type: 'string', maxLength: 131072 },
        },
      },
    },
  },
  reply: {
    $schema: draft,
    title: 'Whether they can, and why not',
    type: 'object',
    required: ['runnable'],
    properties: { runnable: { type: 'boolean' }, reason: { type: 'string', maxLength: 2048 }, lacksClass: { type: 'boolean' } },
  },
});
