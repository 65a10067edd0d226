import { maskUrlUser, seconds, TerminalError, isUuid } from '@windlass/foundation';
import { findImagesAction, type NamedImage } from '@windlass/lifecycle';
import type { Image, OpenStack } from '@windlass/openstack';
import { infraAction, projectOf } from './infra-context.js';

/** Looks for images that no package brings, before anything is made. */
export const findImages = infraAction(findImagesAction, {
  apply: async ({ openStack, input: { vim, images } }) => {
    const found = await Promise.all(
      images.map(async (image) => ({ image, faults: fault(image, await named(openStack, image.name)) })),
    );
    const faults = found.flatMap(({ faults }) => (faults === undefined ? [] : [faults]));
    if (faults.length > 0) {
      const where = `VIM ${vim.connectionId} (${maskUrlUser(vim.authUrl)}, project ${projectOf(vim)})`;
      throw new TerminalError('image.not-in-vim', `${where}: ${faults.join('; ')}. Nothing was made`);
    }
    return undefined;
  },
  retry: { attempts: 5, backoff: seconds(2), growth: 2 },
});

/** As Heat does it: the image of that id, else those of that name. */
async function named({ glance }: OpenStack, name: string): Promise<Image[]> {
  const byId = isUuid(name) ? await glance.getImage(name) : undefined;
  return byId === undefined ? glance.findImages({ name }) : [byId];
}

function fault({ name, neededBy }: NamedImage, found: readonly Image[]): string | undefined {
  const needs = `, which ${neededBy.join(' and ')} ${neededBy.length === 1 ? 'needs' : 'need'}`;
  const [image] = found;
  if (image === undefined)
    return `there is no image "${name}"${needs}: upload it under that name, or onboard a package that carries its file`;
  if (found.length > 1)
    return `there are ${found.length} images "${name}"${needs}: Heat takes none of several, so rename all but one`;
  return image.status === 'active' ? undefined : `image "${name}"${needs}, is ${image.status}, not active`;
}
