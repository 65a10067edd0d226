import type { WorkerKey } from '../enrolment/enrolment-store.js';
import { dataOf, openEnvelope, UndecodableMessage } from '../envelope/envelope.js';
import { ERROR_TYPE, errorFrom, errorRule } from '../envelope/error-envelope.js';
import type { DriverContract } from './mgmt-contracts.js';
import type { KeyPair } from '../sealing/key-pair.js';
import { isSameProof, proofOfAnswer, type ProofKeys } from './proof.js';

/** Why an answer does not count as the driver's. */
export type UnprovenReason = 'version-1' | 'malformed' | 'foreign-key' | 'revoked-key' | 'wrong-proof';

/** What came as an answer: the text that the driver proved, or why the answer does not count. */
export type Judgement = { body: string } | { unproven: UnprovenReason };

/** One request to a driver, and what is needed to check whether an answer is the driver's answer to this request. */
export interface AskedRequest {
  contract: DriverContract<unknown, unknown>;
  nonce: string;
  /** The message as it was sent. */
  bytes: Uint8Array;
  /** The key pair of the core services whose public half the request named. */
  pair: KeyPair;
}

/** Whether a message is the driver's answer to this request. The keys are those of the driver's service. */
export function judge(
  data: Uint8Array,
  { contract, nonce, bytes, pair }: AskedRequest,
  keys: ReadonlyMap<string, WorkerKey>,
  secrets: ProofKeys,
): Judgement {
  const read = answerIn(data, contract);
  if ('unproven' in read) return read;
  const { keyId, body, mac } = read;
  const key = keys.get(keyId);
  if (key === undefined) return { unproven: 'foreign-key' };
  if (key.revoked) return { unproven: 'revoked-key' };
  const words = { subject: contract.subject, nonce, request: bytes, body };
  return isSameProof(mac, proofOfAnswer(secrets.of(pair, key.publicKey), words)) ? { body } : { unproven: 'wrong-proof' };
}

/** A message of version 1 has the reply, or the error, in the envelope itself. */
function answerIn(
  data: Uint8Array,
  contract: DriverContract<unknown, unknown>,
): { keyId: string; body: string; mac: string } | { unproven: UnprovenReason } {
  try {
    const envelope = openEnvelope(data);
    if (envelope.type === ERROR_TYPE)
      return { unproven: isUndecoded(dataOf(envelope, ERROR_TYPE, errorRule)) ? 'version-1' : 'malformed' };
    const isOld = envelope.type === `${contract.name}.reply` && !hasVersion(envelope.data);
    return isOld ? { unproven: 'version-1' } : dataOf(envelope, `${contract.name}.reply`, contract.reply);
  } catch (error) {
    if (error instanceof UndecodableMessage) return { unproven: 'malformed' };
    throw error;
  }
}

/** A request of version 2 lacks the members that a driver of version 1 reads. */
const isUndecoded = ({ code }: { code: string }): boolean => code === 'messaging.undecodable';

const hasVersion = (data: unknown): boolean => typeof data === 'object' && data !== null && 'v' in data;

/**
 * What a proven text holds.
 * @throws WindlassError the driver's error; UndecodableMessage when the text does not follow the contract
 */
export function answerOf<Reply>(body: string, { name, answer }: DriverContract<unknown, Reply>): Reply {
  const parsed = parsedBody(body, name);
  const checked = answer.check(parsed);
  if (!checked.ok) throw new UndecodableMessage(`the body of a ${name}.reply`, checked.wrong);
  if ('error' in checked.value) throw errorFrom(checked.value.error);
  return checked.value.reply;
}

function parsedBody(body: string, name: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new UndecodableMessage(`the body of a ${name}.reply is no JSON`, [
      { path: '', reason: error instanceof Error ? error.message : String(error) },
    ]);
  }
}
