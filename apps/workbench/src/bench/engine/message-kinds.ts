import { connect } from '@nats-io/transport-node';
import type { RunningNats } from '@windlass/embedded';
import { perOperationSorted } from './request-kinds.js';

/** A message as somebody who hears everything sees it. */
export interface Heard {
  subject: string;
  reply?: string;
}

const ID = /^(?:[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})$/i;

/**
 * What a message is, whatever ids its subject has. JetStream's delivery of a message is told from its publication by where its acknowledgement goes.
 */
export function messageKind({ subject, reply = '' }: Heard): string {
  if (subject.startsWith('$JS.ACK.')) return 'acknowledgement';
  // Inboxes are called after the user that they are of, and then by chance.
  const inbox = /^_INBOX(?:_([^.]+))?\./.exec(subject);
  if (inbox !== null) return inbox[1] === undefined ? 'reply' : `reply to ${inbox[1]}`;
  if (subject.startsWith('$JS.API.CONSUMER.MSG.NEXT.')) return 'pull';
  const name = subject
    .split('.')
    .map((word) => (ID.test(word) ? '*' : word))
    .join('.');
  return reply.startsWith('$JS.ACK.') ? `${name} (delivered)` : name;
}

/** Hears every message while something is done: dear, so nothing else is measured meanwhile. @returns messages an operation by their kinds */
export async function messagesOf(
  { url, admin }: Pick<RunningNats, 'url' | 'admin'>,
  operations: number,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const connection = await connect({ servers: url, user: admin.user, pass: admin.password, name: 'windlass bench' });
  try {
    const counts = new Map<string, number>();
    connection.subscribe('>', {
      callback: (error, message) => {
        if (error !== null) throw error;
        const kind = messageKind({ subject: message.subject, reply: message.reply ?? '' });
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      },
    });
    await connection.flush();
    await work();
    await connection.flush();
    return perOperationSorted(counts, operations);
  } finally {
    await connection.close();
  }
}
