import { bytes } from '@windlass/foundation';
import { artifactsOf } from './artifacts.js';
import type { ImageFile, SoftwareImage } from '../model/model.js';
import { sizeBytes } from './size.js';
import { Tosca, type TypeTree } from './type-tree.js';
import type { Csar } from '../archive/csar.js';
import type { Checksum } from '../metadata/verify-artifacts.js';
import { resolveInPackage } from '../archive/member-name.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/**
 * The software image of a VDU or storage: `sw_image_data`, and the artifact of type SwImage beside it. The artifact's own properties say what
 * `sw_image_data` does not, and all of it where there is none (SOL001 2.3.1, 3 and 4).
 * @throws PackageError if a node has two such artifacts, or one of which nothing is said, or a property is missing or said twice in two ways.
 */
export function readSoftwareImage(node: YamlNode, csar: Csar, types: TypeTree): SoftwareImage | undefined {
  const data = node.at('properties', 'sw_image_data');
  const [artifact, second] = artifactsOf(node).filter(({ type }) => types.isA(type, Tosca.swImage));
  if (second !== undefined) {
    throw node
      .at('artifacts', second.name)
      .wrong(`is a second SwImage artifact beside "${artifact?.name ?? ''}"; a node may have one: remove the other`);
  }
  const ofArtifact = artifact === undefined ? undefined : node.at('artifacts', artifact.name, 'properties');
  if (!data.present && (ofArtifact?.entries() ?? []).length === 0) {
    if (artifact !== undefined)
      throw data.wrong(
        `is missing beside the artifact "${artifact.name}", whose properties do not say it either: give one of them`,
      );
    return undefined;
  }
  const said = <T>(name: string, read: (property: YamlNode) => T): T => saidOnce(data, ofArtifact, name, read);
  return {
    name: said('name', (name) => name.requiredText()),
    version: said('version', (version) => version.requiredText()),
    checksum: said('checksum', readChecksum),
    containerFormat: said('container_format', (format) => format.requiredText().toLowerCase()),
    diskFormat: said('disk_format', (format) => format.requiredText().toLowerCase()),
    minDisk: said('min_disk', sizeBytes) ?? bytes(0),
    minRam: said('min_ram', sizeBytes) ?? bytes(0),
    size: said('size', sizeBytes) ?? bytes(0),
    ...(artifact === undefined ? {} : { file: imageFile(artifact.file, csar) }),
  };
}

/** A property of the node, or of its artifact where the node does not have it. @throws PackageError where they contradict each other. */
function saidOnce<T>(data: YamlNode, ofArtifact: YamlNode | undefined, name: string, read: (property: YamlNode) => T): T {
  const [own, other] = [data.at(name), ofArtifact?.at(name)];
  if (other?.present !== true) return read(data.present || other === undefined ? own : other);
  const value = read(other);
  if (own.present && JSON.stringify(read(own)) !== JSON.stringify(value))
    throw own.wrong(`says another thing than the artifact's ${other.where}: correct one of them, or leave it out`);
  return value;
}

/** Of a hash without its algorithm: by the length of its hexadecimal digits. */
const BY_LENGTH: Readonly<Record<number, string>> = { 56: 'sha-224', 64: 'sha-256', 96: 'sha-384', 128: 'sha-512' };

/** `{ algorithm, hash }`; a map with one such entry; or, as SOL001 2.3.1 has it, the hash alone. */
function readChecksum(node: YamlNode): Checksum {
  if (!node.isMap) {
    const hash = node.requiredText();
    const algorithm = /^[0-9a-f]+$/i.test(hash) ? BY_LENGTH[hash.length] : undefined;
    if (algorithm !== undefined) return { algorithm, hash };
    throw node.wrong('should be a map of algorithm and hash, or the hexadecimal digits of SHA-224, SHA-256, SHA-384 or SHA-512');
  }
  const [only, second] = node.entries().map(([, entry]) => entry);
  if (only?.isMap === true && second === undefined) return readChecksum(only);
  return { algorithm: node.at('algorithm').requiredText(), hash: node.at('hash').requiredText() };
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
