import { isJsonObject, TerminalError, type Json } from '@windlass/foundation';
import { clusterConnectionId, clusterVimId } from '@windlass/mgmt-driver';
import { mismatchOf, type InputSchema } from '@windlass/saga';
import { vimKind } from '@windlass/sol003';
import type { Contribution } from '../records/records.js';

/** Characters of one value, such as a CA's certificate. */
const MAX_TEXT_LENGTH = 16 * 1024;

const pairs: InputSchema = { type: 'object', additionalProperties: { type: 'string', maxLength: MAX_TEXT_LENGTH } };
const text: InputSchema = { type: 'string', minLength: 1, maxLength: 255 };

/** Certificates of one cluster: of some masters, each with those that kubeadm makes. */
const MAX_CERTIFICATES = 300;

/** Seconds since 1970 at the end of the year 9999, which a time that never comes has (RFC 5280 4.1.2.5). */
const END_OF_TIME = 253_402_300_799;

const CERTIFICATES: InputSchema = {
  type: 'array',
  maxItems: MAX_CERTIFICATES,
  items: {
    type: 'object',
    required: ['master', 'name', 'endsAt'],
    additionalProperties: false,
    properties: {
      master: text,
      name: text,
      endsAt: { type: 'integer', minimum: 0, maximum: END_OF_TIME },
    },
  },
};

/** A cluster is one VIM, so there is at most one entry. */
const CONTRIBUTION: InputSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    vimConnectionInfo: {
      type: 'object',
      additionalProperties: false,
      properties: {
        add: {
          type: 'array',
          maxItems: 1,
          items: {
            type: 'object',
            required: ['id', 'vimType'],
            additionalProperties: false,
            properties: { id: text, vimId: text, vimType: text, interfaceInfo: pairs, accessInfo: pairs, extra: pairs },
          },
        },
        removeVimIds: { type: 'array', maxItems: 1, items: text },
      },
    },
    certificates: CERTIFICATES,
  },
};

/** What a person should know of what a step did, a line each. */
const NOTES: InputSchema = { type: 'array', maxItems: 10, items: { type: 'string', minLength: 1, maxLength: 1_000 } };

/** Bytes of JSON in all. */
const MAX_BYTES = 64 * 1024;

/**
 * Reads what a driver's step gives to its instance: the entry of the cluster that the instance has become, or the removal of that entry, and when the
 * cluster's certificates end. A step can't touch other entries, which lead to VIMs, with passwords for them.
 * @param whose names the step and its driver, for messages
 * @throws TerminalError `contribution.refused`
 */
export function contributionOf(output: Json | undefined, vnfInstanceId: string, whose: string): Contribution | undefined {
  if (!isJsonObject(output) || output.instance === undefined) return undefined;
  const { instance } = output;
  const mismatch = mismatchOf(instance, CONTRIBUTION);
  if (mismatch !== undefined) throw refused(whose, `/instance${mismatch.path} ${mismatch.reason}`);
  const size = Buffer.byteLength(JSON.stringify(instance));
  if (size > MAX_BYTES) throw refused(whose, `it has ${size} bytes, ${MAX_BYTES} are allowed`);
  const contribution = instance as unknown as Contribution;
  const { add = [], removeVimIds = [] } = contribution.vimConnectionInfo ?? {};
  const connection = clusterConnectionId(vnfInstanceId);
  const vim = clusterVimId(vnfInstanceId);
  for (const { id, vimId, vimType } of add) {
    if (id !== connection)
      throw refused(whose, `it adds the entry ${quoted(id)}: only ${connection} may be added to this instance`);
    if (vimId !== undefined && vimId !== vim) throw refused(whose, `it adds the VIM ${quoted(vimId)}: only ${vim} may be`);
    if (vimKind(vimType) !== 'kubernetes')
      throw refused(whose, `it adds a VIM of the type ${quoted(vimType)}: kubernetes was expected`);
  }
  for (const id of removeVimIds) if (id !== vim) throw refused(whose, `it removes the VIM ${quoted(id)}: only ${vim} may be`);
  return contribution;
}

/**
 * What a driver's step tells of its work, for the operation's warnings: the member `notes` of its output.
 * @param whose as for {@link contributionOf}
 * @throws TerminalError `contribution.refused`
 */
export function notesOf(output: Json | undefined, whose: string): string[] {
  if (!isJsonObject(output) || output.notes === undefined) return [];
  const mismatch = mismatchOf(output.notes, NOTES);
  if (mismatch !== undefined) throw refused(whose, `/notes${mismatch.path} ${mismatch.reason}`);
  return output.notes as string[];
}

const quoted = (value: string): string => JSON.stringify(value);

const refused = (whose: string, why: string): TerminalError =>
  new TerminalError('contribution.refused', `what ${whose} contributes to the instance is refused: ${why}`);
