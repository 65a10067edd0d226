import { seconds, type Duration } from '@windlass/foundation';

/** A question that nobody answers for so long may never be answered: whoever comes then asks for himself, and is told nothing older than that. */
const JOINED_WITHIN = seconds(1);

/** A question that is under way, and how many wait for its answer. */
interface UnderWay<T> {
  answer: Promise<T>;
  waiting: number;
  control: AbortController;
  /** Monotonic milliseconds. */
  begunAt: number;
}

/** An answer, and whether it was asked for before whoever has it asked: then it may tell how things were a moment before. */
export interface SharedAnswer<T> {
  answer: T;
  isJoined: boolean;
}

/** Questions that are under way: whoever asks the same meanwhile has the same answer, and the VIM is asked once. Nothing is kept once it is answered. */
export class SharedQuestions<T> {
  readonly #underWay = new Map<string, UnderWay<T>>();

  /** @param joinedWithin how long after it was put a question may be joined */
  constructor(private readonly joinedWithin: Duration = JOINED_WITHIN) {}

  /**
   * The answer to the same question that was put a moment ago, else to its own.
   * @param key what tells who asks, with what rights, and all that is asked
   * @param signal ends the waiting for it
   * @param put puts the question; its signal ends when nobody waits for the answer any more
   * @throws what `put` throws; the signal's reason
   */
  async ask(key: string, signal: AbortSignal, put: (signal: AbortSignal) => Promise<T>): Promise<SharedAnswer<T>> {
    signal.throwIfAborted();
    const last = this.#underWay.get(key);
    const joined = last !== undefined && performance.now() - last.begunAt < this.joinedWithin ? last : undefined;
    const question = joined ?? this.#begin(key, put);
    question.waiting += 1;
    try {
      return { answer: await untilEnded(question.answer, signal), isJoined: joined !== undefined };
    } finally {
      question.waiting -= 1;
      if (question.waiting === 0) {
        this.#forget(key, question);
        question.control.abort(new Error('nobody waits for the answer any more'));
      }
    }
  }

  #begin(key: string, put: (signal: AbortSignal) => Promise<T>): UnderWay<T> {
    const control = new AbortController();
    const question: UnderWay<T> = { answer: put(control.signal), waiting: 0, control, begunAt: performance.now() };
    this.#underWay.set(key, question);
    const forget = (): void => this.#forget(key, question);
    question.answer.then(forget, forget);
    return question;
  }

  #forget(key: string, question: UnderWay<T>): void {
    if (this.#underWay.get(key) === question) this.#underWay.delete(key);
  }
}

/** @throws what the promise throws; the signal's reason */
async function untilEnded<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: ended, end } = endOf(signal);
  try {
    return await Promise.race([promise, ended]);
  } finally {
    end();
  }
}

/** A promise that is rejected with the signal's reason. @returns also what lets go of the signal */
function endOf(signal: AbortSignal): { promise: Promise<never>; end: () => void } {
  let end = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    end = () => signal.removeEventListener('abort', abort);
  });
  return { promise, end };
}
