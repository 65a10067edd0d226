import { minutes, type Duration } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import type { PgAuditChain } from '@windlass/persistence';

/** The most links in one look: some ten thousand entries, so that a coordinator that is stopped ends soon. */
const AT_ONCE = 20;

/** Chains new entries of the audit trail, and writes the chain's position to the log. Every coordinator has one; one at a time works. */
export class TrailChainer {
  #told: { head: string; at: number } | undefined;

  constructor(
    private readonly chain: Pick<PgAuditChain, 'append'>,
    private readonly log: MessagingLog,
    /** The log lies elsewhere than the database, so it reveals a chain that was cut at its end (`audit-trail check --since`). */
    private readonly tellEvery: Duration = minutes(10),
    private readonly now: () => number = () => performance.now(),
    private readonly onTrouble: () => void = () => undefined,
  ) {}

  async sweep(): Promise<void> {
    let full = true;
    for (let made = 0; full && made < AT_ONCE; made++) {
      const done = await this.chain.append();
      full = done.full;
      for (const trouble of done.troubles) {
        this.onTrouble();
        this.log.error('the audit trail was tampered with, or restored from a backup', {
          trouble,
          check: './windlass audit-trail check',
        });
      }
      if (done.head !== undefined) this.#tell(done.head);
    }
  }

  #tell(head: string): void {
    const now = this.now();
    if (this.#told !== undefined && (this.#told.head === head || now - this.#told.at < this.tellEvery)) return;
    this.#told = { head, at: now };
    this.log.info('the head of the audit trail', { head });
  }
}
