import { asWindlassError, seconds, waitUntil, type Duration } from '@windlass/foundation';
import type { DriverDescription } from '@windlass/mgmt-driver';
import type { MessagingLog } from '../link/nats-link.js';
import type { RequestClient } from '../request/request-client.js';
import { announceContract, type AnnounceAnswer, type AnnounceMessage } from './mgmt-contracts.js';
import type { KeyPair } from '../sealing/key-pair.js';
import { proofOfAnnouncement, type ProofKeys } from './proof.js';

/** The pauses between two announcements, until one is kept. A pause is about a quarter of the time waited so far: lcm-api starts beside the driver. */
const ANNOUNCE_EVERY = seconds(0.2);
const ANNOUNCE_GROWTH = 1.25;
const MAX_ANNOUNCE_PAUSE = seconds(2);
/** Longer than any process lives. */
const ALWAYS = Number.POSITIVE_INFINITY as Duration;
/** Replicas that start together compete for the next number; so many of them may lose a round. */
const NUMBERS_IN_A_ROUND = 5;

export interface AnnouncerOptions {
  client: RequestClient;
  keys: KeyPair;
  secrets: ProofKeys;
  log: MessagingLog;
  /** A promise while our key is not enrolled: an announcement would be refused. */
  admitted: () => Promise<void> | undefined;
}

/** Announces a driver until the description is kept, or the signal aborts. @returns whether the description is kept */
export async function announceDriver(
  description: DriverDescription,
  options: AnnouncerOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { log, admitted } = options;
  const { driver, version } = description;
  const once = async (): Promise<true | undefined> => {
    await untilAdmitted(admitted, signal);
    if (admitted() !== undefined) return undefined;
    try {
      return (await isKept(description, options, signal)) ? true : undefined;
    } catch (error) {
      if (!signal.aborted) log.warn('the driver could not be announced yet', { driver, error: asWindlassError(error).message });
      return undefined;
    }
  };
  const pauses = { within: ALWAYS, every: ANNOUNCE_EVERY, growth: ANNOUNCE_GROWTH, atMost: MAX_ANNOUNCE_PAUSE };
  try {
    await waitUntil(once, { for: 'the driver to be kept', ...pauses, signal });
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
  log.info('the driver is announced', { driver, version });
  return true;
}

/** Resolves as soon as the key is enrolled, or when the signal aborts: no pause delays the announcement. */
async function untilAdmitted(admitted: AnnouncerOptions['admitted'], signal: AbortSignal): Promise<void> {
  const waiting = admitted();
  if (waiting === undefined || signal.aborted) return;
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([waiting, aborted]);
}

/** Asks for the core's key and the next number, then announces the driver. Neither answer is trusted: a proof for another key is of no use to a stranger. */
async function isKept(description: DriverDescription, options: AnnouncerOptions, signal: AbortSignal): Promise<boolean> {
  const { client, keys } = options;
  const { driver, service } = description;
  const who: AnnounceMessage = { v: 2, driver, service, keyId: keys.public.id };
  let told: AnnounceAnswer = await client.request(announceContract, who, { signal });
  for (let tried = 0; tried < NUMBERS_IN_A_ROUND && !told.kept; tried += 1)
    told = await client.request(announceContract, { ...who, ...proven(description, told, options) }, { signal });
  return told.kept;
}

function proven(
  description: DriverDescription,
  { coreKey, number }: AnnounceAnswer,
  { keys, secrets }: AnnouncerOptions,
): Partial<AnnounceMessage> {
  if (coreKey === undefined || number === undefined) return {};
  const body = JSON.stringify(description);
  return { coreKey, number, body, mac: proofOfAnnouncement(secrets.of(keys, coreKey), { number, body }) };
}
