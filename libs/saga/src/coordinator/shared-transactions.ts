import { TransientError } from '@windlass/foundation';

/** Requests that share one transaction at most: the others' limits stay locked as long as it lasts. */
const MOST_SHARED = 32;

/** What became of a request: its answer, and what is left to do once the transaction is committed. */
export interface Committed<A> {
  answer: A;
  afterCommit: () => Promise<void>;
}

interface Waiting<Q, A> {
  request: Q;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

/**
 * Requests about one operation go one after the other, since each holds the lock of its row. Those that come while one is under way in this process share
 * the next transaction: at the end of a hundred nodes' steps there are a hundred of them. Each is answered when that is committed, and not before.
 */
export class SharedTransactions<Q, A> {
  /** By the operation, while one of its transactions is under way: what waits for it. */
  readonly #waiting = new Map<string, Waiting<Q, A>[]>();

  /** @param transact runs all requests, in their order, in one transaction; one that throws takes all of it back */
  constructor(private readonly transact: (operationId: string, requests: readonly Q[]) => Promise<Committed<A>[]>) {}

  /** Does what is asked for, alone or together with others. */
  ask(operationId: string, request: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      const one = { request, resolve, reject };
      const waiting = this.#waiting.get(operationId);
      if (waiting !== undefined) waiting.push(one);
      else {
        this.#waiting.set(operationId, []);
        void this.#goOn(operationId, [one]);
      }
    });
  }

  async #goOn(operationId: string, first: Waiting<Q, A>[]): Promise<void> {
    for (let together = first; together.length > 0;) {
      await this.#run(operationId, together);
      together = this.#waiting.get(operationId)?.splice(0, MOST_SHARED) ?? [];
    }
    this.#waiting.delete(operationId);
  }

  async #run(operationId: string, together: readonly Waiting<Q, A>[]): Promise<void> {
    try {
      const committed = await this.transact(
        operationId,
        together.map(({ request }) => request),
      );
      committed.forEach((done, at) => void answer(together[at], done));
    } catch (error) {
      // What is away is away for each of them. All else may be the fault of one, which takes no other along.
      if (together.length === 1 || error instanceof TransientError) for (const { reject } of together) reject(error);
      else for (const one of together) await this.#run(operationId, [one]);
    }
  }
}

/** The next transaction does not wait for this. */
async function answer<Q, A>(one: Waiting<Q, A> | undefined, done: Committed<A>): Promise<void> {
  try {
    await done.afterCommit();
    one?.resolve(done.answer);
  } catch (error) {
    one?.reject(error);
  }
}
