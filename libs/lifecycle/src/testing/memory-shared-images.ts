import { InvariantError } from '@windlass/foundation';
import { MemoryHandle } from '@windlass/saga/testing';
import type { SharedImage, SharedImageStore, WantedImage } from '../records/shared-image.js';
import type { VimChoice } from '../records/records.js';

type Kept = SharedImage & { key: string; untouched: boolean };

/** Shared images in memory, without locks: transactions run one after another. */
export class MemorySharedImages implements SharedImageStore {
  readonly images = new Map<string, Kept>();

  referToImages(
    handle: unknown,
    { tenant, vnfInstanceId, vim }: { tenant: string; vnfInstanceId: string; vim: VimChoice },
    wanted: readonly WantedImage[],
  ): Promise<Record<string, string>> {
    const all = this.#read(handle);
    const ids: Record<string, string> = {};
    for (const { key, id, name } of wanted) {
      const found = all.find((each) => each.key === key && each.state === 'SHARED');
      const image: Kept = found ?? { key, id, tenant, name, vim, state: 'SHARED', instances: [], untouched: true };
      if (found === undefined) all.push(image);
      if (!image.instances.includes(vnfInstanceId)) image.instances.push(vnfInstanceId);
      ids[key] = image.id;
    }
    this.#write(handle, all);
    return Promise.resolve(ids);
  }

  dropImageReferences(handle: unknown, vnfInstanceId: string, untouched = false): Promise<string[]> {
    let all = this.#read(handle);
    const dropped: string[] = [];
    for (const image of all) {
      if (!image.instances.includes(vnfInstanceId)) continue;
      image.instances = image.instances.filter((id) => id !== vnfInstanceId);
      image.untouched &&= untouched;
      if (image.instances.length > 0) continue;
      if (image.untouched) {
        all = all.filter((each) => each !== image);
        continue;
      }
      image.state = 'DELETING';
      dropped.push(image.id);
    }
    this.#write(handle, all);
    return Promise.resolve(dropped);
  }

  forgetSharedImages(handle: unknown, ids: readonly string[]): Promise<void> {
    this.#write(
      handle,
      this.#read(handle).filter(({ id, state }) => state !== 'DELETING' || !ids.includes(id)),
    );
    return Promise.resolve();
  }

  all(): SharedImage[] {
    return structuredClone([...this.images.values()].map(({ key: _key, untouched: _untouched, ...image }) => image));
  }

  #read(handle: unknown): Kept[] {
    return structuredClone((handleOf(handle).read(ALL) as Kept[] | undefined) ?? [...this.images.values()]);
  }

  #write(handle: unknown, all: Kept[]): void {
    handleOf(handle).write(ALL, all, () => {
      this.images.clear();
      for (const image of all) this.images.set(image.id, image);
    });
  }
}

const ALL = 'shared images';

function handleOf(handle: unknown): MemoryHandle {
  if (handle instanceof MemoryHandle) return handle;
  throw new InvariantError('a store in memory was given a handle of another kind');
}
