import { createHash } from 'node:crypto';
import { InvariantError, millis, RequestError, seconds, TransientError, waitUntil, WindlassError } from '@windlass/foundation';
import type { HostTarget } from '@windlass/mgmt-driver';
import type { HostSettings } from '../options.js';
import { connect, nameOf } from './connect.js';
import type { HostClaim } from './host-keys.js';
import { SessionRefused, SshConnection } from './ssh-connection.js';

interface Entry {
  connections: SshConnection[];
  /** One that is being made, and the claim on whose behalf. */
  connecting: { claim: HostClaim; made: Promise<SshConnection> } | undefined;
  idle: NodeJS.Timeout | undefined;
}

/** Connections to hosts: one a host, user and credential, kept from step to step; a further one where the sessions of one don't suffice. */
export class SshConnections {
  readonly #entries = new Map<string, Entry>();
  readonly #stop = new AbortController();

  constructor(private readonly settings: HostSettings) {}

  /**
   * Runs `work` with a session's room on a connection. A host that doesn't answer is tried again for a while.
   * @throws TransientError `remote.unreachable`; TerminalError for what trying again doesn't help
   */
  async use<T>(
    target: HostTarget,
    claim: HostClaim,
    signal: AbortSignal | undefined,
    work: (connection: SshConnection) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      signal?.throwIfAborted();
      const connection = await unlessAborted(this.#connection(target, claim), signal);
      const giveBack = connection.take();
      try {
        return await work(connection);
      } catch (error) {
        if (!(error instanceof SessionRefused) || connection.isIdle) throw error;
      } finally {
        giveBack();
        this.#rest(target);
      }
    }
  }

  /** How many connections are open. */
  get size(): number {
    return [...this.#entries.values()].reduce((sum, entry) => sum + entry.connections.length, 0);
  }

  close(): void {
    this.#stop.abort(new TransientError('remote.closed', 'the service is stopping'));
    for (const { connections, idle } of this.#entries.values()) {
      clearTimeout(idle);
      for (const connection of connections) connection.close();
    }
    this.#entries.clear();
  }

  async #connection(target: HostTarget, claim: HostClaim): Promise<SshConnection> {
    const entry = this.#entry(target);
    clearTimeout(entry.idle);
    const free = entry.connections.find((connection) => connection.hasRoom);
    if (free !== undefined) return free;
    if (entry.connecting === undefined) {
      const made = this.#connect(target, claim, entry).finally(() => (entry.connecting = undefined));
      entry.connecting = { claim, made };
    }
    const { claim: asked, made } = entry.connecting;
    try {
      const connection = await made;
      return connection.hasRoom ? connection : await this.#connection(target, claim);
    } catch (error) {
      // That the other's claim is over says nothing about ours.
      if (asked !== claim && isOfTheClaim(error)) return this.#connection(target, claim);
      throw error;
    }
  }

  async #connect(target: HostTarget, claim: HostClaim, entry: Entry): Promise<SshConnection> {
    const { hostKeys, connectWithin, patience, silence } = this.settings;
    const host = nameOf(target);
    try {
      return await waitUntil(
        async (seen) => {
          try {
            const client = await connect(target, claim, { hostKeys, within: connectWithin, silence });
            const connection: SshConnection = new SshConnection(target, client, () => {
              entry.connections = entry.connections.filter((each) => each !== connection);
            });
            entry.connections.push(connection);
            if (this.#stop.signal.aborted) connection.close();
            return connection;
          } catch (error) {
            if (!(error instanceof TransientError)) throw error;
            seen(error.message);
            return undefined;
          }
        },
        {
          for: `${host} to answer`,
          within: patience,
          every: millis(250),
          growth: 1.7,
          atMost: seconds(5),
          signal: this.#stop.signal,
        },
      );
    } catch (error) {
      if (error instanceof WindlassError && error.code === 'wait.timeout')
        throw new TransientError(
          'remote.unreachable',
          `${error.message}. Is the machine running, and its address and sshd's port right?`,
        );
      throw error;
    }
  }

  /** Closes the connections that nobody uses for a while. */
  #rest(target: HostTarget): void {
    const entry = this.#entry(target);
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => {
      for (const connection of entry.connections) if (connection.isIdle) connection.close();
      entry.connections = entry.connections.filter((connection) => connection.isOpen);
      if (entry.connections.length === 0 && entry.connecting === undefined) this.#entries.delete(keyOf(target));
    }, this.settings.idle);
    entry.idle.unref();
  }

  #entry(target: HostTarget): Entry {
    const key = keyOf(target);
    const entry = this.#entries.get(key) ?? { connections: [], connecting: undefined, idle: undefined };
    this.#entries.set(key, entry);
    return entry;
  }
}

function keyOf(target: HostTarget): string {
  const { resourceId, address, port, username, password, privateKey, passphrase } = target;
  const parts = [resourceId, address, port, username, password?.reveal(), privateKey?.reveal(), passphrase?.reveal()];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

/** Refused to the one who asked: the store of host keys doesn't take the claim, or its step is over. Hosts throw neither. */
const isOfTheClaim = (error: unknown): boolean => error instanceof RequestError || error instanceof InvariantError;

/** What is waited for goes on for whoever else waits for it. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
