import { bytes } from '@windlass/foundation';
import { artifactsOf } from './artifacts.js';
import type { ImageFile, SoftwareImage } from './model.js';
import { sizeBytes } from './size.js';
import { Tosca, type TypeTree } from './type-tree.js';
import type { Csar } from '../archive/csar.js';
import { resolveInPackage } from '../archive/member-name.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/**
 * The software image of a VDU or storage: `sw_image_data` and the artifact of type SwImage beside it.
 * @throws PackageError if a node has two such artifacts, or one without `sw_image_data`, or a property is missing.
 */
export function readSoftwareImage(node: YamlNode, csar: Csar, types: TypeTree): SoftwareImage | undefined {
  const data = node.at('properties', 'sw_image_data');
  const [artifact, second] = artifactsOf(node).filter(({ type }) => types.isA(type, Tosca.swImage));
  if (second !== undefined) {
    throw node
      .at('artifacts', second.name)
      .wrong(`is a second SwImage artifact beside "${artifact?.name ?? ''}"; a node may have one: remove the other`);
  }
  if (!data.present) {
    if (artifact !== undefined) throw data.wrong(`is missing beside the artifact "${artifact.name}"`);
    return undefined;
  }
  return {
    name: data.at('name').requiredText(),
    version: data.at('version').requiredText(),
    checksum: { algorithm: data.at('checksum', 'algorithm').requiredText(), hash: data.at('checksum', 'hash').requiredText() },
    containerFormat: data.at('container_format').requiredText().toLowerCase(),
    diskFormat: data.at('disk_format').requiredText().toLowerCase(),
    minDisk: sizeBytes(data.at('min_disk')) ?? bytes(0),
    minRam: sizeBytes(data.at('min_ram')) ?? bytes(0),
    size: sizeBytes(data.at('size')) ?? bytes(0),
    ...(artifact === undefined ? {} : { file: imageFile(artifact.file, csar) }),
  };
}

function imageFile(file: YamlNode, csar: Csar): ImageFile {
  const written = file.requiredText();
  if (/^https?:/i.test(written)) return { kind: 'url', url: written };
  // Relative to the file that says it; some packages write it from the package's root.
  const candidates = [resolveInPackage(written, file.file), resolveInPackage(written)].filter((name) => name !== undefined);
  const [first] = candidates;
  if (first === undefined) throw file.wrong(`leads out of the package: ${JSON.stringify(written)}`);
  const path = candidates.find((name) => csar.has(name)) ?? first;
  return { kind: 'member', path, present: csar.has(path) && csar.member(path).size > 0 };
}
