import { seconds, TransientError, Turns } from '@windlass/foundation';
import type { PrivateKeyFault } from '@windlass/mgmt-driver';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { faultOf, privateKeyFault, roundsToOpen } from './private-key.js';

/** A private key, and what opens it. */
export interface KeyPair {
  privateKey: string;
  passphrase: string | undefined;
}

/** Of the keys of one request together: five seconds of a thread. ssh-keygen's own keys have 16 or 24 each. */
const MAX_ROUNDS = 256;
/** A project's requests that wait for the thread. */
const MAX_WAITING = 8;
const WITHIN = seconds(30);

/** What the thread runs: it opens one key after the other, and says what ssh2 has against it, or null. */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { utils } = require(workerData.ssh2);
  for (const { privateKey, passphrase } of workerData.keys) {
    let said = null;
    try {
      const key = utils.parseKey(privateKey, passphrase);
      if (key instanceof Error) said = key.message;
    } catch (error) {
      said = String(error.message);
    }
    parentPort.postMessage(said);
  }
`;

/**
 * Looks whether private keys can be read with their passphrases, those that take long in a thread: one request at a time, projects in turn, and this
 * process does something else meanwhile.
 */
export class KeyLooks {
  readonly #turns = new Turns({ places: 1, waitingPerProject: MAX_WAITING });

  /** @param maxRounds of one request together */
  constructor(private readonly maxRounds = MAX_ROUNDS) {}

  /**
   * @returns what is wrong with each, as `privateKeyFault` has it
   * @throws RequestError 429 `project.too-many-waiting`; TransientError `remote.keys-slow`
   */
  async faults(project: string, keys: readonly KeyPair[]): Promise<(PrivateKeyFault | undefined)[]> {
    const dear: KeyPair[] = [];
    let rounds = 0;
    const found = keys.map(({ privateKey, passphrase }) => {
      const takes = roundsToOpen(privateKey, passphrase);
      if (takes === 0) return privateKeyFault(privateKey, passphrase);
      rounds += takes;
      if (rounds > this.maxRounds) {
        const reason = `is encrypted, and with the keys before it takes more than ${this.maxRounds} rounds to open: give fewer keys, or write them anew with "ssh-keygen -p -a 16 -f FILE"`;
        return { of: 'privateKey' as const, reason };
      }
      dear.push({ privateKey, passphrase });
      return 'dear' as const;
    });
    const opened = dear.length === 0 ? [] : await this.#turns.run(project, () => opening(dear));
    const answers = opened.values();
    return found.map((fault) => (fault === 'dear' ? answers.next().value : fault));
  }
}

/** Opens keys in a thread of their own, which ends with them. */
function opening(keys: readonly KeyPair[]): Promise<(PrivateKeyFault | undefined)[]> {
  return new Promise((resolve, reject) => {
    const said: (PrivateKeyFault | undefined)[] = [];
    const ssh2 = createRequire(import.meta.url).resolve('ssh2');
    const thread = new Worker(PROGRAM, { eval: true, env: {}, workerData: { ssh2, keys } });
    const slow = new TransientError('remote.keys-slow', `the request's private keys were not opened within ${WITHIN / 1_000} s`);
    const timer = setTimeout(() => {
      reject(slow);
      void thread.terminate();
    }, WITHIN);
    thread.on('message', (message: string | null) => said.push(message === null ? undefined : faultOf(message)));
    thread.on('error', reject);
    thread.on('exit', () => {
      clearTimeout(timer);
      if (said.length === keys.length) resolve(said);
      else reject(slow);
    });
  });
}
