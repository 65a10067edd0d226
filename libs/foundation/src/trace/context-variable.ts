import { AsyncLocalStorage } from 'node:async_hooks';

type Values = Readonly<Record<symbol, unknown>>;

/**
 * The one store of the process. Node.js copies what each store holds into every promise that is made, so that a second store would cost every `await`
 * of the process, also where nobody asks for it.
 */
const storage = new AsyncLocalStorage<Values>();

/** A value that the running code and all that it begins can see: what it awaits, timers that it sets, connections that it opens. */
export class ContextVariable<T> {
  readonly #name: symbol;

  /** @param name for who looks at a heap; two variables of a name are two */
  constructor(name: string) {
    this.#name = Symbol(name);
  }

  /** The value of the running code; undefined outside of any {@link run}. */
  get value(): T | undefined {
    return storage.getStore()?.[this.#name] as T | undefined;
  }

  /** Runs work with a value of this variable; those of all others stay as they are. */
  run<R>(value: T, work: () => R): R {
    return storage.run({ ...storage.getStore(), [this.#name]: value }, work);
  }
}

/** The same function, which sees the values that there are now, whoever calls it: for what an emitter calls in a context of its own. */
export const boundToContext = (work: () => void): (() => void) => AsyncLocalStorage.bind(work);
