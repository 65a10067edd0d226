import { randomBytes } from 'node:crypto';

/** The inboxes of a user lie below its own name, so that permissions can keep others from reading its replies. */
export const inboxPrefixOf = (user: string | undefined): string => (user === undefined ? '_INBOX' : `_INBOX_${user}`);

/**
 * A new inbox of a user. Its name can't be guessed, even from another inbox's name: the NATS library counts its own names up from a
 * random start and draws the tokens of its requests with Math.random.
 */
export const newInbox = (user: string | undefined): string => `${inboxPrefixOf(user)}.${randomBytes(16).toString('base64url')}`;

/** `_INBOX` or `_INBOX_<user>`, and tokens without wildcards below it. */
const INBOX = /^_INBOX(?:_[A-Za-z0-9_-]{1,128})?(?:\.[A-Za-z0-9_-]{1,128}){1,8}$/;

/** Whether an answer may be sent to this subject. The asker names the subject, so it could be any: a claim's, a wake-up's, JetStream's API. */
export const isInbox = (subject: string): boolean => INBOX.test(subject);
