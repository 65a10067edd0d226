import type { HostRun } from '@windlass/mgmt-driver';

/** A UUID has 36; it is sent back with each order. */
const MAX_BOOT_LENGTH = 200;

/** What a host's clock showed when it was read: hundredths of seconds since its boot, and which boot that was. */
export class HostClock {
  readonly #readAt = performance.now();

  constructor(
    readonly uptime: number,
    readonly boot: string,
  ) {}

  /** From an answer that has the line `clock <uptime> <boot>`. */
  static from(lines: readonly string[]): HostClock | undefined {
    const [, uptime, boot] = lines.find((line) => line.startsWith('clock '))?.split(' ') ?? [];
    if (uptime === undefined || boot === undefined || !/^\d{1,15}$/.test(uptime) || boot.length > MAX_BOOT_LENGTH)
      return undefined;
    return new HostClock(Number(uptime), boot);
  }

  /**
   * The end of the lease on the host's clock, for an order that is to be refused when it arrives later. It errs towards too
   * early: the clock was read before its answer arrived here.
   * @throws when the lease can't be trusted any more
   */
  deadline(run: HostRun): { NOT_AFTER: number; BOOT: string } {
    run.assertLease();
    const left = run.leaseLeft() + performance.now() - this.#readAt;
    return { NOT_AFTER: this.uptime + Math.floor(left / 10), BOOT: this.boot };
  }
}
