import { randomUUID } from 'node:crypto';
import {
  InvariantError,
  TerminalError,
  currentTrace,
  shape,
  traceparentOf,
  type InvalidParam,
  type Json,
  type TypeOf,
} from '@windlass/foundation';
import { dataRule, message, type DataRule } from '../contracts/contract.js';

export const envelopeSchema = message(
  shape.titled(
    'Envelope of every Windlass message',
    shape.object({
      /** The version of this wrapping; a reader refuses others. */
      v: shape.constant(1),
      /** Unique per message; a repeated request keeps its id. */
      id: shape.text({ minLength: 1, maxLength: 128 }),
      /** In an answer: the id of the request. Who asked takes no other answer. */
      inReplyTo: shape.optional(shape.text({ minLength: 1, maxLength: 128 })),
      /** What `data` is: `saga.claim.request`, `saga.claim.reply`, `error`, `step.doorbell`. */
      type: shape.text({ pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)*$', maxLength: 128 }),
      /** When it was made, RFC 3339 in UTC. For people: no decision rests on it. */
      time: shape.text({ format: 'date-time' }),
      /** The project on whose behalf. */
      tenant: shape.optional(shape.text({ minLength: 1, maxLength: 255 })),
      /** W3C Trace Context. */
      traceparent: shape.optional(shape.text({ maxLength: 512 })),
      data: shape.anything,
    }),
  ),
);

/** What every message on NATS is wrapped in, as JSON in UTF-8 (docs/contracts/schemas/envelope.json). */
export type Envelope<T = Json> = Omit<TypeOf<typeof envelopeSchema>, 'data'> & { data: T };

const envelopeRule = dataRule(envelopeSchema);

/** A message that does not follow its contract. Sent by us it is our bug; received it is the sender's, and never tried again. */
export class UndecodableMessage extends TerminalError {
  constructor(what: string, wrong: readonly InvalidParam[]) {
    const places = wrong.map(({ path, reason }) => `${path === '' ? 'the whole' : path} ${reason}`).join('; ');
    super('messaging.undecodable', `${what}: ${places}`, { status: 400, invalidParams: [...wrong] });
  }
}

export interface Wrapping {
  id?: string;
  tenant?: string | undefined;
  inReplyTo?: string | undefined;
}

/**
 * Wraps data and checks it against its rule first.
 * @throws InvariantError when we are about to send what the contract does not allow
 */
export function encode<T>(type: string, rule: DataRule<T>, data: T, { id, tenant, inReplyTo }: Wrapping = {}): Uint8Array {
  const checked = rule.check(data);
  if (!checked.ok)
    throw new InvariantError(new UndecodableMessage(`a ${type} we were about to send is wrong`, checked.wrong).message);
  const trace = currentTrace();
  const envelope: Envelope<T> = {
    v: 1,
    id: id ?? randomUUID(),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
    type,
    time: new Date().toISOString(),
    ...(tenant === undefined ? {} : { tenant }),
    ...(trace === undefined ? {} : { traceparent: traceparentOf(trace) }),
    data,
  };
  return Buffer.from(JSON.stringify(envelope));
}

/**
 * Reads the wrapping alone; its data is not checked yet.
 * @throws UndecodableMessage
 */
export function openEnvelope(bytes: Uint8Array): Envelope<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new UndecodableMessage('a message is no JSON', [
      { path: '', reason: error instanceof Error ? error.message : String(error) },
    ]);
  }
  const checked = envelopeRule.check(value);
  if (!checked.ok) throw new UndecodableMessage('a message is no envelope', checked.wrong);
  return checked.value;
}

/**
 * The data of an envelope of the expected type.
 * @throws UndecodableMessage
 */
export function dataOf<T>(envelope: Envelope<unknown>, type: string, rule: DataRule<T>): T {
  if (envelope.type !== type) {
    throw new UndecodableMessage(`a message ${envelope.id}`, [
      { path: '/type', reason: `is ${envelope.type}; expected ${type}` },
    ]);
  }
  const checked = rule.check(envelope.data);
  if (!checked.ok) {
    const below = checked.wrong.map(({ path, reason }) => ({ path: `/data${path}`, reason }));
    throw new UndecodableMessage(`a message ${type}`, below);
  }
  return checked.value;
}
