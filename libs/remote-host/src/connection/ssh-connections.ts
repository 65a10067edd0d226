import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  InvariantError,
  millis,
  RequestError,
  seconds,
  TerminalError,
  TransientError,
  waitUntil,
  WindlassError,
} from '@windlass/foundation';
import type { HostTarget } from '@windlass/mgmt-driver';
import type { HostSettings } from './options.js';
import { connect, nameOf } from './connect.js';
import type { HostClaim } from './host-keys.js';
import { LoginNotYet, nextRefusal, type Refused } from './refused-login.js';
import { SessionRefused, SshConnection } from './ssh-connection.js';

interface Entry {
  /** The refusals of a machine that may still be setting the login up. */
  refused: Refused | undefined;
  connections: SshConnection[];
  /** One that is being made, and the claim on whose behalf. */
  connecting: { claim: HostClaim; made: Promise<SshConnection> } | undefined;
  idle: NodeJS.Timeout | undefined;
  /** Those who wait for the one that is being made, and hear why. */
  waiting: Set<(line: string) => void>;
}

/** How long a first attempt to connect goes on before it is told of. */
const SILENT = seconds(5);

/** On whose behalf a host is reached. */
export interface Caller {
  readonly claim: HostClaim;
  readonly signal?: AbortSignal | undefined;
  /** Told why it waits. */
  readonly progress?: ((line: string) => void) | undefined;
  /** It does not wait for a machine that refuses the login in its first minutes: nothing of ours can run there. */
  readonly impatient?: boolean | undefined;
}

/** Connections to hosts: one a host, user and credential, kept from step to step; a further one where the sessions of one don't suffice. */
export class SshConnections {
  readonly #entries = new Map<string, Entry>();
  readonly #stop = new AbortController();

  constructor(private readonly settings: HostSettings) {}

  /**
   * Runs `work` with a session's room on a connection. A host that doesn't answer is tried again for a while, and one that refuses the
   * login until its first minutes are over.
   * @throws TransientError `remote.unreachable`, `remote.login-not-yet` for the impatient; TerminalError for what trying again doesn't help
   */
  async use<T>(target: HostTarget, caller: Caller, work: (connection: SshConnection) => Promise<T>): Promise<T> {
    for (;;) {
      caller.signal?.throwIfAborted();
      const connection = await this.#patiently(target, caller);
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

  /** A connection, waiting as long as a login that is refused may still come to be. */
  async #patiently(target: HostTarget, { claim, signal, progress, impatient = false }: Caller): Promise<SshConnection> {
    for (;;) {
      const unheard = this.#hear(target, progress);
      try {
        return await unlessAborted(this.#connection(target, claim), signal);
      } catch (error) {
        if (!(error instanceof LoginNotYet) || impatient) throw error;
        progress?.(error.message);
        const { signal: stopped } = this.#stop;
        const ended = signal === undefined ? stopped : AbortSignal.any([signal, stopped]);
        await pause(error.left, undefined, { signal: ended }).catch(() => ended.throwIfAborted());
      } finally {
        unheard();
      }
    }
  }

  /** Tells who waits for a connection why there is none yet; the same only once. Ends by what it returns. */
  #hear(target: HostTarget, progress: ((line: string) => void) | undefined): () => void {
    if (progress === undefined) return () => undefined;
    const { waiting } = this.#entry(target);
    let last = '';
    const tell = (why: string): void => {
      const line = `waiting for ${nameOf(target)} to answer${why === '' ? '' : `: ${why}`}`;
      if (line !== last) progress(line);
      last = line;
    };
    // An address that answers nothing fails no attempt for as long as one may take.
    const slow = setTimeout(() => last === '' && tell(''), SILENT);
    waiting.add(tell);
    return () => {
      clearTimeout(slow);
      waiting.delete(tell);
    };
  }

  async #connection(target: HostTarget, claim: HostClaim): Promise<SshConnection> {
    const entry = this.#entry(target);
    clearTimeout(entry.idle);
    const free = entry.connections.find((connection) => connection.hasRoom);
    if (free !== undefined) return free;
    const notYet = entry.refused && LoginNotYet.before(entry.refused);
    if (notYet !== undefined) throw notYet;
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
    const { hostKeys, rules, connectWithin, patience, silence } = this.settings;
    const host = nameOf(target);
    try {
      return await waitUntil(
        async (seen) => {
          try {
            const client = await connect(target, claim, { hostKeys, rules, within: connectWithin, silence });
            const connection: SshConnection = new SshConnection(target, client, () => {
              entry.connections = entry.connections.filter((each) => each !== connection);
            });
            entry.connections.push(connection);
            entry.refused = undefined;
            if (this.#stop.signal.aborted) connection.close();
            return connection;
          } catch (error) {
            if (!(error instanceof TransientError)) throw this.#refused(target, entry, error);
            seen(error.message);
            for (const tell of entry.waiting) tell(error.message);
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

  /** What a refused login means: nothing yet, in a machine's first minutes. */
  #refused(target: HostTarget, entry: Entry, error: unknown): unknown {
    if (!(error instanceof TerminalError) || error.code !== 'remote.auth-failed') return error;
    const refused = nextRefusal(target, this.settings, entry.refused, error);
    if (refused instanceof TerminalError) {
      entry.refused = undefined;
      return refused;
    }
    entry.refused = refused;
    return LoginNotYet.before(refused) ?? error;
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
    const entry = this.#entries.get(key) ?? {
      refused: undefined,
      connections: [],
      connecting: undefined,
      idle: undefined,
      waiting: new Set(),
    };
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
