import type { VnfInstanceRecord } from '@windlass/lifecycle';
import type { DriverSecrets } from '../drivers/driver-secrets.js';
import { LRUCache } from 'lru-cache';
import { entityTagOf } from './entity-tag.js';
import type { VnfInstances } from './vnf-instances.js';

/** An answer as it goes out, and what it was made of. */
export interface KeptText {
  /** The row's mark, which changes with each write of the row. */
  readonly mark: string;
  /** The drivers' secrets when the answer was made: a different object once a driver has announced others. */
  readonly masks: object;
  readonly etag: string;
  readonly text: Buffer;
}

/** Roughly the bytes that an entry costs beside its text. */
const ENTRY_BYTES = 500;
/** Enough for more than a thousand instances with a few VNFCs. Clients wait for fewer at a time. */
const KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Answers to reads of single instances. An answer is kept until any replica writes the instance's row, or a driver announces different secrets.
 * PostgreSQL is asked each time for the row's mark, and whether the project may see the instance.
 */
export class InstanceAnswers {
  /** What was asked for longest ago goes first. */
  readonly #texts = new LRUCache<string, KeptText>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ text }) => text.length + ENTRY_BYTES,
  });

  constructor(
    private readonly instances: Pick<VnfInstances, 'show' | 'mark'>,
    private readonly secrets: Pick<DriverSecrets, 'said'>,
  ) {}

  /**
   * @param version of the API, whose form `render` gives
   * @throws RequestError 404, also for another project's
   */
  async of(
    tenant: string,
    id: string,
    version: 'v1' | 'v2',
    render: (record: VnfInstanceRecord) => Promise<object>,
  ): Promise<KeptText> {
    const key = `${version} ${id}`;
    // Read before the answer is rendered: a description that arrives meanwhile makes the answer newer than its mark says, never older.
    const masks = await this.secrets.said();
    const kept = this.#texts.get(key);
    if (kept?.masks === masks && kept.mark === (await this.instances.mark(tenant, id))) return kept;
    const { record, mark } = await this.instances.show(tenant, id);
    const made = { mark, masks, etag: entityTagOf(record), text: Buffer.from(JSON.stringify(await render(record))) };
    this.#texts.set(key, made);
    return made;
  }
}
