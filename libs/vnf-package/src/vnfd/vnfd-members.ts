import type { Csar } from '../archive/csar.js';
import { metadataMembers } from '../metadata/tosca-meta.js';
import type { VnfPackageModel } from '../model/model.js';

/**
 * The members that a VNFD answered as a zip is made of (SOL005 9.4.4.3.2): TOSCA.meta and the manifests, as far as there are any, the
 * top VNFD and every file of the package that it imports.
 * @throws PackageError as onboarding does, for metadata that can't be read.
 */
export async function vnfdMembers(csar: Csar, { vnfdFiles }: Pick<VnfPackageModel, 'vnfdFiles'>): Promise<string[]> {
  return [...(await metadataMembers(csar)), ...vnfdFiles];
}
