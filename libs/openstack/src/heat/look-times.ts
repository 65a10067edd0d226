import type { StackLooks, WaitSoFar } from './stack-looks.js';
import type { UsualTime, WaitKind } from './usual-times.js';

/** When a wait looked, from which the usual time of its kind is learnt. Monotonic milliseconds. */
export class LookTimes {
  readonly since = performance.now();
  /** The last look showed that the end is near. */
  isNear = false;
  #looks = 0;
  /** When the last look ended; undefined before the first. */
  #last: number | undefined;
  #before = this.since;
  #atOnce = 1;
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly watch: StackLooks | undefined,
    private readonly kind: WaitKind | undefined,
  ) {}

  /** Waits, and is counted among those who wait until that is over. */
  static async during<T>(
    watch: StackLooks | undefined,
    kind: WaitKind | undefined,
    work: (times: LookTimes) => Promise<T>,
  ): Promise<T> {
    const leave = watch?.enter();
    const times = new LookTimes(watch, kind);
    try {
      return await work(times);
    } finally {
      clearTimeout(times.#timer);
      leave?.();
    }
  }

  /** When such waits end, as a rule, beside as many others as there were at most; undefined where nobody knows. */
  get usual(): UsualTime | undefined {
    this.#atOnce = Math.max(this.#atOnce, this.watch?.atOnce ?? 1);
    return this.kind === undefined ? undefined : this.watch?.usual.of(this.kind, this.#atOnce);
  }

  /** Whether the end is expected in a moment, as far as anybody knows. */
  get endsSoon(): boolean {
    const { usual } = this;
    const age = performance.now() - this.since;
    const { ahead = 0, behind = 0 } = this.watch?.pace ?? {};
    return usual !== undefined && age >= usual.from - ahead && age < usual.to + behind;
  }

  /** Calls once shortly before the end is expected, between two looks. Not where nothing is expected or that time is over, and never once the wait is over. */
  shortlyBefore(call: () => void): void {
    clearTimeout(this.#timer);
    const { usual } = this;
    if (usual === undefined) return;
    const { ahead = 0, readShare = 0, readMost = 0 } = this.watch?.pace ?? {};
    const lead = Math.max(ahead, Math.min(usual.from * readShare, readMost));
    const left = this.since + usual.from - lead - performance.now();
    if (left >= 0) this.#timer = setTimeout(call, left);
  }

  /** What decides when the next look is due. */
  soFar(): Pick<WaitSoFar, 'since' | 'last' | 'looks' | 'usual' | 'isNear'> {
    return { since: this.since, last: this.#last, looks: this.#looks, usual: this.usual, isNear: this.isNear };
  }

  looked(): void {
    this.#before = this.#last ?? this.since;
    this.#last = performance.now();
    this.#looks += 1;
  }

  /** The last look showed the end. */
  ended(): void {
    if (this.kind !== undefined)
      this.watch?.usual.ended(this.kind, this.#atOnce, this.#before - this.since, (this.#last ?? this.since) - this.since);
  }
}
