import { RequestError } from '@windlass/foundation';
import { deleteSharedImages, type VimChoice } from '@windlass/lifecycle';
import type { MessagingLog } from '@windlass/messaging';
import type { PgLcmStore } from '@windlass/persistence';

/** Looked at in one sweep at most; the next goes on. */
const AT_ONCE = 100;

/**
 * Finds what a release leaves that knows nothing of shared images and ran beside this one: references of instances that are terminated or gone, and images whose
 * clean-up it took for one of nothing. Each in a transaction of its own.
 */
export class ImageSweep {
  constructor(
    private readonly store: PgLcmStore,
    private readonly log: MessagingLog,
  ) {}

  async sweep(): Promise<number> {
    const { store } = this;
    const referrers = await store.transact((handle) => store.strayReferrers(handle, AT_ONCE));
    for (const id of referrers) await store.transact((handle) => this.#drop(handle, id));
    const stray = await store.transact((handle) => this.#deleteAgain(handle));
    if (referrers.length + stray > 0)
      this.log.info('shared images that were left over are cleaned up', { instances: referrers.length, images: stray });
    return referrers.length + stray;
  }

  /** Under the lock of the instance's row no operation of it begins. */
  async #drop(handle: unknown, vnfInstanceId: string): Promise<void> {
    const { store } = this;
    await store.lockInstance(handle, vnfInstanceId);
    const still = await store.strayReferrers(handle, AT_ONCE, vnfInstanceId);
    if (still.length === 0) return;
    await store.dropImageReferences(handle, vnfInstanceId);
  }

  /** Where the VIM is not registered any more, or only a request described it, nothing can be done: an audit of it finds that nobody knows the image. */
  async #deleteAgain(handle: unknown): Promise<number> {
    const { store } = this;
    const unused = await store.unusedImages(handle, AT_ONCE);
    for (const { id, tenant, vim } of unused)
      if (await this.#isReached(handle, tenant, vim))
        await deleteSharedImages(store, handle, { tenant, vim: { choice: vim }, ids: [id] });
      else await store.forgetSharedImages(handle, [id]);
    return unused.length;
  }

  async #isReached(handle: unknown, tenant: string, choice: VimChoice): Promise<boolean> {
    try {
      await this.store.internalVimAccess(handle, tenant, { choice });
      return true;
    } catch (error) {
      if (error instanceof RequestError) return false;
      throw error;
    }
  }
}
