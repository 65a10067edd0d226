import { isTopTemplate } from './base-hot.js';
import type { Csar } from '../archive/csar.js';
import type { PackageWarning } from '../refusals/package-error.js';

/** Folders of templates that no flavour has, and flavours without a template where the package carries some: mostly a name that is spelt in two ways. */
export function folderWarnings(csar: Csar, flavourIds: readonly string[]): PackageWarning[] {
  const names = csar.members.map(({ name }) => name);
  const folders = [...new Set(names.flatMap((name) => /^BaseHOT\/[^/]+\/(?=.)/.exec(name)?.[0] ?? []))];
  const known = flavourIds.map((id) => `"${id}"`).join(', ');
  const unknown = folders
    .filter((folder) => !flavourIds.some((id) => folder === `BaseHOT/${id}/`))
    .map((folder) => ({
      code: 'base-hot.unknown-flavour',
      subject: folder,
      reason: `belongs to no flavour of the VNFD, which has ${known}: nothing of it is used; name the folder as its flavour`,
    }));
  const withoutTop = flavourIds.filter((id) => !names.some((name) => isTopTemplate(name, `BaseHOT/${id}/`)));
  const absent = (folders.length === 0 ? [] : withoutTop).map((id) => ({
    code: 'base-hot.absent',
    subject: `BaseHOT/${id}/`,
    reason: `has no template, though ${folders.join(' and ')} came with the package: those of "${id}" are made from its VNFD; add one if that is not meant`,
  }));
  return [...unknown, ...absent];
}
