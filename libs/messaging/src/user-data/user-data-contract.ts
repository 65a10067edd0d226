import { shape, type TypeOf } from '@windlass/foundation';
import { defineContract, message } from '../contracts/contract.js';
import { subjects } from '../contracts/subjects.js';

const askedScript = shape.closed({
  /** Whose it is: projects are served in turn. */
  tenant: shape.text({ maxLength: 255 }),
  /** Its path in the package. */
  path: shape.text({ minLength: 1, maxLength: 4096 }),
  className: shape.text({ minLength: 1, maxLength: 200 }),
  /** Modules that must be installed for it and for what it imports. */
  modules: shape.list({ maxItems: 50, items: shape.text({ minLength: 1, maxLength: 200 }) }),
  /** Absent where it is large. */
  text: shape.optional(shape.text({ maxLength: 131072 })),
});

/** A script that is looked at and not run. */
export type AskedScript = TypeOf<typeof askedScript>;

const runnableRequest = shape.closed({
  language: shape.oneOf(['python', 'javascript']),
  /** Of Python. */
  asked: shape.optional(askedScript),
});

/** In what a package's script is written, and the script. */
export type RunnableRequest = TypeOf<typeof runnableRequest>;

const runnableReply = shape.object({
  runnable: shape.flag,
  reason: shape.optional(shape.text({ maxLength: 2048 })),
  /** The class that the request names is not in the script. */
  lacksClass: shape.optional(shape.flag),
});

/** Whether scripts of that kind can be run, or this one, and why not. */
export type RunnableReply = TypeOf<typeof runnableReply>;

/** Asked before a request is accepted that names a script. Nobody relies on the answer: the step that runs it looks for itself. */
export const runnableContract = defineContract({
  name: 'user-data.runnable',
  subject: subjects.userData('runnable'),
  request: message(shape.titled('Whether user data scripts of packages can be run, in that language', runnableRequest)),
  reply: message(shape.titled('Whether they can, and why not', runnableReply)),
});
