import { PackageError } from './package-error.js';

/** Obstacles that are told one by one; what is beyond them is counted. */
const TOLD = 20;

/**
 * Collects what is wrong with a package, so that its author is told all of it at once. Only parts that do not build on each other are read under one:
 * a fault that follows from another would send its reader astray.
 */
export class Faults {
  readonly #found: PackageError[] = [];

  get any(): boolean {
    return this.#found.length > 0;
  }

  add(fault: PackageError): void {
    this.#found.push(...(fault.parts ?? [fault]));
  }

  /** What `read` gives; undefined where the package is refused for it, which is kept. Anything else that goes wrong is thrown as it is. */
  keep<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.#caught(error);
      return undefined;
    }
  }

  /** The same of what takes its time. */
  async keepLater<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#caught(error);
      return undefined;
    }
  }

  /** @throws PackageError the one fault; of several, one that has the code of the first and tells all of them */
  throwIfAny(): void {
    const all = [...new Map(this.#found.map((fault) => [fault.message, fault])).values()];
    const [first, second] = all;
    if (first === undefined) return;
    if (second === undefined) throw first;
    const { member } = first;
    const inOne = member !== undefined && all.every((fault) => fault.member === member);
    const told = all.slice(0, TOLD).map(({ message, reason }, index) => `(${index + 1}) ${inOne ? reason : message}`);
    const more = all.length > TOLD ? `; and ${all.length - TOLD} more` : '';
    throw new PackageError(first.code, `${all.length} things are to be put right: ${told.join('; ')}${more}`, {
      parts: all,
      ...(inOne ? { member } : {}),
    });
  }

  #caught(error: unknown): void {
    if (!(error instanceof PackageError)) throw error;
    this.add(error);
  }
}
