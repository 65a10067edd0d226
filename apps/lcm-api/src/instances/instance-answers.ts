import type { VnfInstanceRecord } from '@windlass/lifecycle';
import type { DriverSecrets } from '../drivers/driver-secrets.js';
import { LRUCache } from 'lru-cache';
import { entityTagOf } from './entity-tag.js';
import type { VnfInstances } from './vnf-instances.js';

/** An answer as it goes out, and what it was made of. */
export interface KeptText {
  /** Of the row: another one after each change. */
  readonly mark: string;
  /** What drivers said was secret: another object where they say something else. */
  readonly masks: object;
  readonly etag: string;
  readonly text: Buffer;
}

/** Roughly what an entry costs beside its text. */
const ENTRY_BYTES = 500;
/** For more than a thousand instances of a few VNFCs: those that clients wait for are fewer. */
const KEPT_BYTES = 8 * 1024 * 1024;

/**
 * The answers to reads of single instances. An answer is kept until the instance's row was written again, by whichever replica, or a driver says
 * otherwise what is secret: PostgreSQL is asked for the row's mark each time, and for the project that may see it.
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
    // Before anything is rendered: what drivers say meanwhile makes the answer a newer one than it is taken for, never an older one.
    const masks = await this.secrets.said();
    const kept = this.#texts.get(key);
    if (kept?.masks === masks && kept.mark === (await this.instances.mark(tenant, id))) return kept;
    const { record, mark } = await this.instances.show(tenant, id);
    const made = { mark, masks, etag: entityTagOf(record), text: Buffer.from(JSON.stringify(await render(record))) };
    this.#texts.set(key, made);
    return made;
  }
}
