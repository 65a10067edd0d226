import { RequestError } from '@windlass/foundation';
import { deleteSharedImages, type VimChoice } from '@windlass/lifecycle';
import type { MessagingLog } from '@windlass/messaging';
import type { PgLcmStore, StrayImage } from '@windlass/persistence';

/** The most images in one sweep; the next sweep continues. */
const AT_ONCE = 100;

/**
 * Has images deleted that nobody has referred to for as long as they are kept. Cleans up after a release that knows nothing of shared images and ran
 * beside this one: references of instances that are terminated or gone, and images whose clean-up that release took for an empty one. Each in a
 * transaction of its own.
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
    const expired = await store.transact(async (handle) => this.#delete(handle, await store.expireImages(handle, AT_ONCE)));
    if (expired > 0) this.log.info('shared images that nobody has used for long are deleted', { images: expired });
    const stray = await store.transact(async (handle) => this.#delete(handle, await store.unusedImages(handle, AT_ONCE)));
    if (referrers.length + stray > 0)
      this.log.info('shared images that were left over are cleaned up', { instances: referrers.length, images: stray });
    return referrers.length + expired + stray;
  }

  /** Drops an instance's references. Under the lock of its row no operation of it begins. */
  async #drop(handle: unknown, vnfInstanceId: string): Promise<void> {
    const { store } = this;
    await store.lockInstance(handle, vnfInstanceId);
    const still = await store.strayReferrers(handle, AT_ONCE, vnfInstanceId);
    if (still.length === 0) return;
    await store.dropImageReferences(handle, vnfInstanceId);
  }

  /**
   * Begins the clean-up of images. For a VIM that is no longer registered, or that only a request described, nothing can be done: an audit of that VIM
   * finds the images as orphans.
   */
  async #delete(handle: unknown, unused: readonly StrayImage[]): Promise<number> {
    const { store } = this;
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
