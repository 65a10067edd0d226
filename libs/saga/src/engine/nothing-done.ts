/** A run failed before it changed anything outside: what its attempt was to make can't be there. */
export class NothingDone extends Error {
  /** @param error what it failed of */
  constructor(readonly error: unknown) {
    super('nothing was done', { cause: error });
  }
}

/** What it failed of, whether something was done or not. */
export const causeOf = (thrown: unknown): unknown => (thrown instanceof NothingDone ? thrown.error : thrown);
