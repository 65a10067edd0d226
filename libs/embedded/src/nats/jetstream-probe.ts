import { connect } from '@nats-io/transport-node';
import { isJsonObject, seconds, TransientError, type Duration } from '@windlass/foundation';
import type { RunningNats } from './start-nats.js';

/**
 * Asks JetStream for its account, which looks at every stream. Once a write of a stream failed for want of room, nats-server 2.9 holds that
 * stream's lock for ever: what touches the stream is never answered again, with room or without, while `/healthz` says ok and SIGTERM is not heeded.
 * @throws TransientError when it does not answer in time, or JetStream is off
 */
export async function probeJetStream({ url, admin }: RunningNats, within: Duration = seconds(5)): Promise<void> {
  try {
    const connection = await connect({ servers: url, user: admin.user, pass: admin.password, reconnect: false, timeout: within });
    try {
      const answer: unknown = (await connection.request('$JS.API.INFO', '', { timeout: within })).json();
      const error = isJsonObject(answer) ? answer.error : undefined;
      if (error !== undefined) throw new Error(JSON.stringify(error));
    } finally {
      await connection.close();
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TransientError('embedded.no-jetstream', `JetStream does not answer: ${reason}`, { cause });
  }
}
