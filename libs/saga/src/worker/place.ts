/** What a run takes up of its worker, until it ends or only waits. */
export class Place {
  /** Whether its run has left it to wait. */
  waits = false;
  /** Resolves when it is left. */
  readonly left: Promise<void>;
  #leave: (() => void) | undefined;

  /** @param given is told once, when it is left */
  constructor(given: () => void = () => undefined) {
    this.left = new Promise((resolve) => {
      this.#leave = () => {
        given();
        resolve();
      };
    });
  }

  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }
}
