import { TerminalError } from '@windlass/foundation';

/** `messaging.too-large`. @param what `a message to windlass.saga.result` @param size in bytes @param limit what the server takes, in bytes */
export const tooLarge = (what: string, size: number, limit: number): TerminalError =>
  new TerminalError(
    'messaging.too-large',
    `${what} has ${size} bytes, and the NATS server takes ${limit}: raise max_payload in its configuration, then retry`,
  );
