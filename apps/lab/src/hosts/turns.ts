/** Runs tasks one after the other in the order they came, whether or not the one before failed. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  next<T>(task: () => Promise<T>): Promise<T> {
    const mine = this.last.then(task, task);
    this.last = mine;
    return mine;
  }
}
