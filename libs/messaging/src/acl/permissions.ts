import { contracts } from '../registry.js';
import { inboxPrefixOf } from '../link/inbox.js';
import { ADVISORIES } from '../jetstream/durable-reconciler.js';
import { eventStream, stepStream, type StreamSpec } from '../jetstream/streams.js';
import { stepConsumer, subjects } from '../contracts/subjects.js';

/** What a NATS user may do; subjects may hold the wildcards `*` and `>`. */
export interface UserPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The parts that a service may play, one or several. */
export type Part =
  /** Runs steps: hears its own wake-up, claims and reports. */
  | { kind: 'worker'; service: string }
  /** Plans for drivers. */
  | { kind: 'driver'; drivers: readonly string[] }
  /** Answers claims, sends wake-ups, asks drivers to plan, tells events. Alone makes and repairs streams and durables. */
  | { kind: 'coordinator' }
  /** Serves or asks a family of requests: `vim` (administration), `vim-claim` (what a claim may ask of the VIM registry), `package`, `user-data`, `grant`. */
  | { kind: 'serves' | 'asks'; family: 'vim' | 'vim-claim' | 'package' | 'user-data' | 'grant' }
  /** Asks drivers to describe, validate and plan what is only looked at, and hears what they announce. */
  | { kind: 'asks-drivers' }
  /** Tells tasks on operations to the engine: sends wake-ups. */
  | { kind: 'rings' }
  /** Listens to events. */
  | { kind: 'listener' };

/** Each subject by itself, without a wildcard: nats-server 2.9 lets a user who may hear `a.*` subscribe to `a.>`, too. */
const SAGA = (['claim', 'renew', 'renew-all', 'result', 'enrol'] as const).map(subjects.saga);
const requestsOf = (family: string): string[] =>
  contracts.map(({ subject }) => subject).filter((subject) => subject.startsWith(`windlass.${family}.`));

const api = (verb: string, rest: string): string => `$JS.API.${verb}.${rest}`;

/** The management of streams, which only a coordinator needs. */
const makesStream = ({ name }: StreamSpec): string[] =>
  ['INFO', 'CREATE', 'UPDATE', 'DELETE'].map((verb) => api(`STREAM.${verb}`, name));

/** Durables of all services, and the server’s advisories that a durable was deleted. */
const keepsDurables = ({ name }: StreamSpec): UserPermissions => ({
  publish: [
    // nats-server 2.9 and newer name the filter in the request; DURABLE.CREATE is how older clients ask.
    api('CONSUMER.CREATE', `${name}.>`),
    api('CONSUMER.DURABLE.CREATE', `${name}.*`),
    api('CONSUMER.INFO', `${name}.*`),
  ],
  subscribe: ADVISORIES,
});

function worker(service: string): UserPermissions {
  const [stream, durable] = [stepStream.name, stepConsumer(service)];
  return {
    publish: [
      ...SAGA,
      api('CONSUMER.INFO', `${stream}.${durable}`),
      api('CONSUMER.MSG.NEXT', `${stream}.${durable}`),
      `$JS.ACK.${stream}.${durable}.>`,
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
    case 'coordinator': {
      const keeps = keepsDurables(stepStream);
      return {
        publish: [
          ...stepStream.subjects,
          subjects.event.all,
          'windlass.mgmt.*.plan',
          ...makesStream(stepStream),
          ...makesStream(eventStream),
          ...keeps.publish,
        ],
        subscribe: [...SAGA, ...keeps.subscribe],
      };
    }
    case 'serves':
      return { publish: [], subscribe: requestsOf(part.family) };
    case 'asks':
      return { publish: requestsOf(part.family), subscribe: [] };
    case 'asks-drivers':
      return {
        publish: ['windlass.mgmt.*.describe', 'windlass.mgmt.*.validate', 'windlass.mgmt.*.plan'],
        subscribe: ['windlass.mgmt.announce'],
      };
    case 'rings':
      return { publish: [...stepStream.subjects], subscribe: [] };
    case 'listener':
      return { publish: [], subscribe: [subjects.event.all] };
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
