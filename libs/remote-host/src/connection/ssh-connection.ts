import type { Socket } from 'node:net';
import { seconds, TransientError } from '@windlass/foundation';
import type { HostTarget } from '@windlass/mgmt-driver';
import type { Client, ClientChannel } from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { nameOf } from './connect.js';
import { MIB, quoted, SaidTooMuch } from '../output/said-too-much.js';

/** OpenSSH allows ten sessions a connection (MaxSessions); two stay free for whoever lowered it a little. */
const SESSIONS = 8;

/** Eight sessions that were given up leave a window of 2 MiB each; twice that. */
const MAX_UNASKED_BYTES = 32 * MIB;

/** For a farewell. Who talks on after it is not heard out. */
const CLOSE_WITHIN = seconds(5);

/** The server opens no further session on this connection. */
export class SessionRefused extends TransientError {}

/** One SSH connection, logged in, with the sessions that run over it. */
export class SshConnection {
  #sessions = 0;
  #limit = SESSIONS;
  #closed: Error | undefined;
  /** Since nobody uses it. */
  #unaskedBytes = 0;

  constructor(
    readonly target: HostTarget,
    private readonly client: Client,
    private readonly onClose: () => void,
  ) {
    client.on('error', (error) => this.#ended(error));
    client.on('end', () => this.#ended());
    client.on('close', () => this.#ended());
    socketOf(client)?.on('data', (chunk: Buffer) => this.#hear(chunk));
  }

  get isOpen(): boolean {
    return this.#closed === undefined;
  }

  get hasRoom(): boolean {
    return this.isOpen && this.#sessions < this.#limit;
  }

  get isIdle(): boolean {
    return this.#sessions === 0;
  }

  /** Counts a session in; the caller gives it back. */
  take(): () => void {
    this.#sessions += 1;
    this.#unaskedBytes = 0;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#sessions -= 1;
    };
  }

  /** Starts a command, without a terminal. @throws TransientError `remote.connection-lost` */
  exec(command: string): Promise<ClientChannel> {
    return this.#open((done) => this.client.exec(command, { pty: false }, done));
  }

  /** Runs `work` with SFTP over this connection, on a channel of its own: a client shared by several calls loses the errors of all but one. */
  async sftp<T>(work: (sftp: SftpClient) => Promise<T>): Promise<T> {
    const wrapper = await this.#open<{ end(): void }>((done) =>
      this.client.sftp((error, sftp) => (error === undefined ? done(undefined, sftp) : done(error, sftp))),
    );
    const quiet = { error: () => undefined, end: () => undefined, close: () => undefined };
    // It would make a connection of its own; given ours, it does what it does over that.
    const sftp = Object.assign(new SftpClient(nameOf(this.target), quiet), { client: this.client, sftp: wrapper });
    try {
      return await work(sftp);
    } finally {
      wrapper.end();
    }
  }

  /** When what was sent is on its way. */
  async drained(): Promise<void> {
    const socket = socketOf(this.client);
    if (socket?.writableNeedDrain !== true) return;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        socket.off('drain', goOn).off('close', goOn);
        resolve();
      };
      socket.on('drain', goOn).on('close', goOn);
    });
  }

  lost(cause?: unknown): TransientError {
    const why = this.#closed?.message ?? (cause instanceof Error ? cause.message : 'closed by the other side');
    return new TransientError('remote.connection-lost', `the connection to ${nameOf(this.target)} was lost: ${quoted(why)}`);
  }

  close(): void {
    this.#closed ??= new Error('closed here');
    this.client.end();
    setTimeout(() => socketOf(this.client)?.destroy(), CLOSE_WITHIN).unref();
  }

  /** Gives it up at once. */
  destroy(why: Error): void {
    this.#ended(why);
    this.client.destroy();
  }

  async #open<T>(open: (done: (error: Error | undefined, opened: T) => void) => unknown): Promise<T> {
    if (!this.isOpen) throw this.lost();
    return new Promise<T>((resolve, reject) => {
      const gone = (): void => reject(this.lost());
      this.client.once('close', gone);
      const settle = (then: () => void): void => {
        this.client.removeListener('close', gone);
        then();
      };
      try {
        open((error, opened) => {
          if (error === undefined) settle(() => resolve(opened));
          else settle(() => reject(this.#refusal(error)));
        });
      } catch (error) {
        // Not connected: it was closed before anyone listened.
        this.#ended(error instanceof Error ? error : undefined);
        settle(() => reject(this.lost(error)));
      }
    });
  }

  /** What the sessions count is theirs; what comes while there are none goes to channels that are no more, or to none. */
  #hear(chunk: Buffer): void {
    if (!this.isIdle) return;
    this.#unaskedBytes += chunk.length;
    if (this.#unaskedBytes > MAX_UNASKED_BYTES) this.destroy(new SaidTooMuch(nameOf(this.target), 'it talks unasked'));
  }

  #ended(error?: Error): void {
    if (this.#closed !== undefined) return;
    this.#closed = error ?? new Error('closed by the other side');
    this.onClose();
  }

  #refusal(error: Error): TransientError {
    if (!/open failed/i.test(error.message) || !this.isOpen) return this.lost(error);
    this.#limit = Math.max(1, this.#sessions - 1);
    return new SessionRefused(
      'remote.connection-lost',
      `${nameOf(this.target)} opened no further session: ${quoted(error.message)}`,
    );
  }
}

/** ssh2 leaves alone a socket that it has said its farewell over, and goes on reading from it. */
const socketOf = (client: Client): Socket | undefined => (client as unknown as { readonly _sock?: Socket })._sock;
