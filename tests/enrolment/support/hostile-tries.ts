import * as messaging from '@windlass/messaging';
import { eventStream, stepConsumer, stepStream, subjects } from '@windlass/messaging';
import { SERVICES } from '@windlass/windlass';
import { THIRD_PARTY, type UserRow } from './user-table.js';

/** A message that a captured service might publish. */
export interface Saying {
  subject: string;
  payload: string;
}

const STREAMS = [stepStream.name, eventStream.name, 'evil'];
const SERVICE_NAMES = [...SERVICES.map(({ name }) => name), THIRD_PARTY.name, 'nobody'];
const DURABLES = [...SERVICE_NAMES.map(stepConsumer), 'evil'];
const FILTERS = [...SERVICE_NAMES.map(subjects.step), 'windlass.step.*', '>'];

/** The subjects of all contracts. */
const CONTRACT_SUBJECTS = Object.values(messaging).flatMap((value) =>
  typeof value === 'object' && 'request' in value && 'subject' in value && typeof value.subject === 'string'
    ? [value.subject]
    : [],
);

/** Verbs of JetStream's API (nats-server, server/jetstream_api.go), those of later servers too. */
const OF_THE_ACCOUNT = [
  'INFO',
  'STREAM.NAMES',
  'STREAM.LIST',
  'STREAM.TEMPLATE.NAMES',
  'STREAM.TEMPLATE.CREATE.evil',
  'STREAM.TEMPLATE.DELETE.evil',
  'META.LEADER.STEPDOWN',
  'SERVER.REMOVE',
  'SERVER.STREAM.MOVE.evil',
  'SERVER.STREAM.CANCEL_MOVE.evil',
  'ACCOUNT.PURGE.$G',
  'ACCOUNT.STREAM.MOVE.$G.windlass-steps',
];
const OF_A_STREAM = [
  ...['CREATE', 'UPDATE', 'INFO', 'DELETE', 'PURGE', 'SNAPSHOT', 'RESTORE', 'MSG.GET', 'MSG.DELETE', 'LEADER.STEPDOWN'].map(
    (verb) => `STREAM.${verb}`,
  ),
  'STREAM.PEER.REMOVE',
  'CONSUMER.CREATE',
  'CONSUMER.NAMES',
  'CONSUMER.LIST',
  'DIRECT.GET',
];
const OF_A_DURABLE = ['CREATE', 'DURABLE.CREATE', 'INFO', 'DELETE', 'PAUSE', 'RESET', 'UNPIN', 'LEADER.STEPDOWN', 'MSG.NEXT'];

/** Streams that would read, repeat or take away other services' messages. */
const evilStreams = (name: string, user: string): object[] => [
  { name, subjects: ['windlass.step.*', 'windlass.saga.*', '_INBOX_lcm-api.>'], storage: 'file', retention: 'limits' },
  { name, mirror: { name: stepStream.name }, storage: 'file' },
  { name, sources: [{ name: stepStream.name }, { name: eventStream.name }], storage: 'file' },
  { name, subjects: ['windlass.step.*'], republish: { src: '>', dest: `_INBOX_${user}.stolen.>` }, storage: 'file' },
];
const evilConsumer = (stream: string, durable: string, filter: string, user: string): string => {
  const config = { durable_name: durable, filter_subject: filter, deliver_subject: `_INBOX_${user}.stolen`, ack_policy: 'none' };
  return JSON.stringify({ stream_name: stream, config });
};

function ofJetStream(user: string): Saying[] {
  const api = (rest: string, payload: unknown = {}): Saying => ({
    subject: `$JS.API.${rest}`,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
  return [
    ...OF_THE_ACCOUNT.map((rest) => api(rest)),
    ...STREAMS.flatMap((stream) => [
      ...OF_A_STREAM.map((verb) => api(`${verb}.${stream}`, { seq: 1, name: stream })),
      ...evilStreams(stream, user).flatMap((config) => [
        api(`STREAM.CREATE.${stream}`, config),
        api(`STREAM.UPDATE.${stream}`, config),
      ]),
      ...FILTERS.map((filter) => api(`DIRECT.GET.${stream}.${filter}`)),
      ...DURABLES.flatMap((durable) => [
        ...OF_A_DURABLE.map((verb) => api(`CONSUMER.${verb}.${stream}.${durable}`, evilConsumer(stream, durable, '>', user))),
        ...FILTERS.map((filter) =>
          api(`CONSUMER.CREATE.${stream}.${durable}.${filter}`, evilConsumer(stream, durable, filter, user)),
        ),
        // The acknowledgement of a message that was never delivered, so that no real message is settled.
        { subject: `$JS.ACK.${stream}.${durable}.1.99.99.1.0`, payload: '+TERM' },
      ]),
    ]),
  ];
}

/** Windlass's subjects and the server's own, with names in the place of wildcards. */
function places(rows: readonly UserRow[]): string[] {
  const drivers = [
    ...new Set(rows.flatMap(({ hears }) => hears.flatMap((subject) => /^windlass\.mgmt\.([^.]+)\./.exec(subject)?.[1] ?? []))),
  ];
  const granted = rows.flatMap(({ says, hears }) => [...says, ...hears]);
  return [
    ...granted.map((pattern) => pattern.replaceAll('*', 'any').replace(/>$/, 'any')),
    // One token deeper, and one shallower, than each granted subject.
    ...granted.flatMap((pattern) => [
      `${pattern.replace(/\.>$/, '')}.deeper`.replaceAll('*', 'any'),
      pattern.split('.').slice(0, -1).join('.'),
    ]),
    ...CONTRACT_SUBJECTS,
    ...SERVICE_NAMES.map(subjects.step),
    ...drivers.flatMap((driver) => ['describe', 'validate', 'plan', 'other'].map((verb) => `windlass.mgmt.${driver}.${verb}`)),
    ...['claim', 'renew', 'progress', 'result', 'enrol', 'other'].map((verb) => `windlass.saga.${verb}`),
    ...rows.flatMap(({ user }) => [`_INBOX_${user}.any`, `_INBOX_${user}.any.any`, `_INBOX_${user}`, `_INBOX.${user}`]),
    subjects.event.vnf('created'),
    ...[
      'windlass',
      'windlass.other',
      'other',
      '_INBOX',
      '_INBOX_',
      '$KV.any',
      '$O.any',
      '$MQTT.any',
      '$JSC.any',
      '_R_.any',
      '$G.any',
    ],
    ...[
      '$SYS.REQ.SERVER.PING',
      '$SYS.ACCOUNT.$G.CONNECT',
      '$SYS.REQ.USER.INFO',
      '$JS.FC.any',
      '$JS.EVENT.ADVISORY.any',
      '$JS.any',
    ],
  ];
}

/** Wildcards over other services' subjects. */
const NETS = ['>', '*', '*.>', '*.*', 'windlass.>', 'windlass.*', 'windlass.*.>', 'windlass.*.*', 'windlass.*.*.*'];
const MORE_NETS = [
  'windlass.step.>',
  'windlass.saga.>',
  'windlass.vim.>',
  'windlass.package.>',
  'windlass.mgmt.>',
  'windlass.mgmt.*.*',
];
const OF_THE_SERVER = ['$JS.>', '$JS.API.>', '$JS.ACK.>', '$JS.EVENT.>', '$SYS.>', '_INBOX.>', '_INBOX_*.>', '_INBOX_lcm-api.*'];

/** The messages that the user tries to publish, permitted or not, each once. */
export function sayings(user: string, rows: readonly UserRow[]): Saying[] {
  const all = [...ofJetStream(user), ...places(rows).map((subject) => ({ subject, payload: '{}' }))];
  return [...new Map(all.map((saying) => [`${saying.subject} ${saying.payload}`, saying])).values()].filter(
    ({ subject }) => subject !== '',
  );
}

/** The subjects that the user tries to hear, permitted or not, with its own grants as they are granted. */
export function ears(rows: readonly UserRow[], user: string): string[] {
  const own = rows.flatMap(({ says, hears }) => [...says, ...hears]);
  const spoken = ofJetStream(user).map(({ subject }) => subject);
  return [...new Set([...own, ...NETS, ...MORE_NETS, ...OF_THE_SERVER, ...places(rows), ...spoken])].filter(
    (subject) => subject !== '',
  );
}

/** The queue groups of services: a member takes a share of the group's requests. */
export const QUEUES = ['', ...SERVICES.map(({ name }) => name)];
