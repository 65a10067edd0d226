import { hostInUrl, TerminalError, TransientError, type Duration, type WindlassError } from '@windlass/foundation';
import type { HostTarget } from '@windlass/mgmt-driver';
import { ADDRESS_REFUSED, checkedSocket, type AddressRules } from '@windlass/outbound';
import type { Socket } from 'node:net';
import { Client, type AuthHandlerMiddleware, type ConnectConfig, type ParsedKey } from 'ssh2';
import { openedKey } from './opened-key.js';
import { quoted } from '../output/said-too-much.js';
import { algorithmsOf, hostKeyChanged, keyLine, type HostClaim, type HostKeyStore } from './host-keys.js';

/** Modern ones only; no SHA-1, no CBC. */
const ALGORITHMS = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group14-sha256',
  ],
  serverHostKey: [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
} as const;

/** Where host keys are kept, where machines may be, and how long one attempt to connect and log in may take. */
export interface ConnectOptions {
  hostKeys: HostKeyStore;
  /** Without them anywhere. */
  rules?: AddressRules | undefined;
  within: Duration;
  /** Silence after which the connection is dead; probed three times in that time. */
  silence: Duration;
}

/**
 * Connects and logs in, once. Host keys are read and pinned on behalf of the claim.
 * @throws TransientError `remote.unreachable`; TerminalError `remote.address-refused`, `remote.auth-failed`, `remote.password-expired`, `remote.host-key-changed`,
 *   `remote.no-common-algorithm`, `remote.bad-private-key`
 */
export async function connect(target: HostTarget, claim: HostClaim, options: ConnectOptions): Promise<Client> {
  const { hostKeys } = options;
  const expected = await hostKeys.get(target.resourceId, claim);
  const { keys, pinned } = expected;
  const first = keys.length === 0;
  const types = typesFor(keys);
  const attempt = await tryOnce(target, options, types, (key) => first || keys.includes(key));
  if (attempt.client === undefined) {
    if (!first && attempt.key !== undefined && !keys.includes(attempt.key)) throw hostKeyChanged(target, expected, attempt.key);
    if (!first && attempt.error.message.includes('no matching host key')) {
      // It has no key of an expected type any more: look what it has, and go no further than that.
      const probe = await tryOnce(target, options, ALGORITHMS.serverHostKey, () => false);
      throw hostKeyChanged(target, expected, probe.key ?? '');
    }
    throw translate(target, attempt.error);
  }
  if (pinned) return attempt.client;
  // Pinned after the login: a machine that isn't ours yet, still starting behind a re-used address, mostly refuses that.
  const winner = await hostKeys.pin(target.resourceId, attempt.key, claim).catch((error: unknown) => {
    attempt.client.destroy();
    throw error;
  });
  if (winner === attempt.key) return attempt.client;
  attempt.client.destroy();
  throw hostKeyChanged(target, { keys: [winner], pinned: true }, attempt.key);
}

/** Those that can prove an expected key; all where none of ours can, so that it is seen what the machine has. */
function typesFor(keys: readonly string[]): readonly string[] {
  const all: readonly string[] = ALGORITHMS.serverHostKey;
  const provable = algorithmsOf(keys).filter((type) => all.includes(type));
  return provable.length === 0 ? all : provable;
}

type Attempt = { client: Client; key: string } | { client: undefined; key: string | undefined; error: SshError };

interface SshError extends Error {
  level?: string;
  code?: string;
}

function tryOnce(
  target: HostTarget,
  options: ConnectOptions,
  serverHostKey: readonly string[],
  accepts: (key: string) => boolean,
): Promise<Attempt> {
  const client = new Client();
  // Each session that waits to be opened listens for the connection's end, and each of SFTP some more.
  client.setMaxListeners(0);
  let key: string | undefined;
  return new Promise<Attempt>((resolve) => {
    const failed = (error: SshError): void => {
      client.removeAllListeners();
      // What a dying connection still has to say concerns nobody.
      client.on('error', () => undefined);
      client.destroy();
      resolve({ client: undefined, key, error });
    };
    client.on('error', failed);
    client.on('close', () => failed(new Error('the connection was closed before the login')));
    client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
      finish(prompts.map((prompt) => (prompt.echo === true ? '' : (target.password?.reveal() ?? ''))));
    });
    client.on('change password', () => {
      failed(new Error(EXPIRED));
    });
    client.on('ready', () => {
      client.removeAllListeners();
      // Until someone else listens: an error that nobody hears would end the process. Its first use shows it.
      client.on('error', () => undefined);
      resolve({ client, key: key ?? '' });
    });
    const hostVerifier = (blob: Buffer): boolean => {
      key = keyLine(blob);
      return accepts(key);
    };
    let sock: Socket | undefined;
    try {
      const config = configOf(target, options, serverHostKey);
      sock = checkedSocket({ host: target.address, port: target.port ?? 22 }, { rules: options.rules });
      // Where ssh2 does not take the configuration, nobody else hears the socket.
      sock.on('error', () => undefined);
      // As ssh2 does with a socket of its own: each session that waits for it to drain listens.
      sock.setMaxListeners(0);
      client.connect({ ...config, hostVerifier, sock });
    } catch (error) {
      sock?.destroy();
      failed(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

const EXPIRED = 'the password has expired';

type Method = 'none' | 'publickey' | 'password' | 'keyboard-interactive';

/** The key first, then the password, each once: a second way for the same password would count as a second failure. */
function methodsOf({ password, username }: HostTarget, key: ParsedKey | undefined): AuthHandlerMiddleware {
  const tried = new Set<Method>();
  return (offered, _partial, next) => {
    const ways = offered as readonly string[] | null;
    // A server that names none is asked by password all the same.
    const offers = (method: Method): boolean => ways?.length === 0 || ways?.includes(method) === true;
    const choose = (): Method | false => {
      // Which ways there are is the answer to asking for none; that counts as no failure.
      if (ways === null) return 'none';
      if (key !== undefined && offers('publickey') && !tried.has('publickey')) return 'publickey';
      if (password === undefined || tried.has('password') || tried.has('keyboard-interactive')) return false;
      if (offers('password')) return 'password';
      return offers('keyboard-interactive') ? 'keyboard-interactive' : false;
    };
    const method = choose();
    if (method !== false) tried.add(method);
    // A key that is opened already; ssh2 knows more than its types.
    next((method === 'publickey' ? { type: method, username, key } : method) as never);
  };
}

function configOf(target: HostTarget, options: ConnectOptions, serverHostKey: readonly string[]): ConnectConfig {
  const { password, privateKey, passphrase } = target;
  const key = privateKey && openedKey(privateKey.reveal(), passphrase?.reveal());
  return {
    username: target.username,
    readyTimeout: options.within,
    keepaliveInterval: Math.ceil(options.silence / 3),
    keepaliveCountMax: 2,
    // The names are checked by ssh2, which knows more than its types.
    algorithms: { ...ALGORITHMS, serverHostKey } as unknown as NonNullable<ConnectConfig['algorithms']>,
    authHandler: methodsOf(target, key),
    tryKeyboard: password !== undefined,
    ...(password && { password: password.reveal() }),
  };
}

/** A host as errors and logs name it: `user@address:port`. */
export const nameOf = (target: HostTarget): string => `${target.username}@${hostInUrl(target.address)}:${target.port ?? 22}`;

function translate(target: HostTarget, error: SshError): WindlassError {
  const host = nameOf(target);
  const said = quoted(error.message);
  if (error.code === ADDRESS_REFUSED) {
    return new TerminalError(
      'remote.address-refused',
      `${host} is not where this VNFM may connect to; its operator can allow the address (VIM_ALLOW)`,
    );
  }
  if (error.message === EXPIRED) {
    return new TerminalError(
      'remote.password-expired',
      `${host} lets nobody in before the password is changed, which has expired. cloud-init makes it so unless its user data say "expire: false"`,
    );
  }
  if (error.level === 'client-authentication') {
    const offered =
      [target.privateKey && 'private key', target.password && 'password'].filter(Boolean).join(' and ') || 'nothing';
    return new TerminalError(
      'remote.auth-failed',
      `${host} refused the login (offered: ${offered}; ${said}). Check user name and credential, and that sshd there allows that way in`,
      { cause: error },
    );
  }
  if (/Cannot parse privateKey|privateKey value/.test(error.message)) {
    return new TerminalError('remote.bad-private-key', `the private key for ${host} can't be used: ${said}`);
  }
  if (/no matching/i.test(error.message)) {
    return new TerminalError('remote.no-common-algorithm', `${host} offers only outdated algorithms: ${said}`, {
      cause: error,
    });
  }
  return new TransientError('remote.unreachable', `${host} can't be reached: ${said}`, { cause: error });
}
