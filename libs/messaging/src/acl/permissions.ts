import { inboxPrefixOf } from '../link/nats-link.js';
import { eventStream, stepStream, type StreamSpec } from '../jetstream/streams.js';
import { stepConsumer, subjects } from '../subjects.js';

/** What a NATS user may do; subjects may hold the wildcards `*` and `>`. */
export interface UserPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The part a service plays; it may play several. */
export type Part =
  /** Runs steps: hears its own doorbell, claims and reports. */
  | { kind: 'worker'; service: string }
  /** Plans for drivers. */
  | { kind: 'driver'; drivers: readonly string[] }
  /** Answers claims, rings doorbells, asks drivers, tells events. Makes the streams. */
  | { kind: 'coordinator' }
  /** Serves or asks a family of requests: `vim`, `package`. */
  | { kind: 'serves' | 'asks'; family: 'vim' | 'package' }
  /** Asks drivers to describe and validate, and hears what they announce. */
  | { kind: 'asks-drivers' }
  /** Tells tasks on operations to the engine: rings doorbells. Makes the streams. */
  | { kind: 'rings' }
  /** Listens to events. */
  | { kind: 'listener' }
  /** Publishes events through an outbox. Makes the event stream. */
  | { kind: 'teller' };

const api = (verb: string, rest: string): string => `$JS.API.${verb}.${rest}`;

const makesStream = ({ name }: StreamSpec): string[] =>
  ['INFO', 'CREATE', 'UPDATE', 'DELETE'].map((verb) => api(`STREAM.${verb}`, name));

function worker(service: string): UserPermissions {
  const [stream, durable, subject] = [stepStream.name, stepConsumer(service), subjects.step(service)];
  return {
    publish: [
      ...(['claim', 'renew', 'progress', 'result', 'enrol'] as const).map(subjects.saga),
      // nats-server 2.9 and newer name the filter in the request; DURABLE.CREATE is how older clients ask.
      api('CONSUMER.CREATE', `${stream}.${durable}.${subject}`),
      api('CONSUMER.DURABLE.CREATE', `${stream}.${durable}`),
      api('CONSUMER.INFO', `${stream}.${durable}`),
      api('CONSUMER.MSG.NEXT', `${stream}.${durable}`),
      `$JS.ACK.${stream}.${durable}.>`,
      // Whoever finds the stream of doorbells missing makes it again.
      ...makesStream(stepStream),
    ],
    subscribe: [],
  };
}

function permissionsOf(part: Part): UserPermissions {
  switch (part.kind) {
    case 'worker':
      return worker(part.service);
    case 'driver':
      return {
        publish: ['windlass.mgmt.announce'],
        subscribe: part.drivers.flatMap((driver) =>
          (['describe', 'validate', 'plan'] as const).map((verb) => subjects.mgmt(driver, verb)),
        ),
      };
    case 'coordinator':
      return {
        publish: [
          ...stepStream.subjects,
          subjects.event.all,
          'windlass.mgmt.*.*',
          ...makesStream(stepStream),
          ...makesStream(eventStream),
        ],
        subscribe: ['windlass.saga.*'],
      };
    case 'serves':
      return { publish: [], subscribe: [`windlass.${part.family}.*`] };
    case 'asks':
      return { publish: [`windlass.${part.family}.*`], subscribe: [] };
    case 'asks-drivers':
      return { publish: ['windlass.mgmt.*.describe', 'windlass.mgmt.*.validate'], subscribe: ['windlass.mgmt.announce'] };
    case 'rings':
      return { publish: [...stepStream.subjects, ...makesStream(stepStream), ...makesStream(eventStream)], subscribe: [] };
    case 'listener':
      return { publish: [], subscribe: [subjects.event.all] };
    case 'teller':
      return { publish: [subjects.event.all, ...makesStream(eventStream)], subscribe: [] };
  }
}

/**
 * What the NATS user of a service must be allowed, and nothing else, for the parts it plays. Replies to requests it serves are granted by
 * `allow_responses`; its own inboxes lie below its name.
 */
export function userPermissions(user: string, parts: readonly Part[]): UserPermissions {
  const all = parts.map(permissionsOf);
  const unique = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].sort();
  return {
    publish: unique(all.map(({ publish }) => publish)),
    subscribe: unique([...all.map(({ subscribe }) => subscribe), [`${inboxPrefixOf(user)}.>`]]),
  };
}
