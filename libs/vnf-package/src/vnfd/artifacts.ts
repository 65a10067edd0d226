import { Tosca } from './type-tree.js';
import { isImageFile } from '../metadata/tosca-meta.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** A file that a node carries. */
export interface Artifact {
  name: string;
  type: string | undefined;
  /** Where the file is named. */
  file: YamlNode;
}

/** What short notation leaves to the file's ending (TOSCA Simple Profile 1.2, 3.6.7 and 5.4). */
const IMPLEMENTATIONS: readonly [ending: RegExp, type: string][] = [
  [/\.py$/i, 'tosca.artifacts.Implementation.Python'],
  [/\.sh$/i, 'tosca.artifacts.Implementation.Bash'],
];

/** The artifacts of a node: `{ type, file }`, or in short notation the file alone. */
export const artifactsOf = (node: YamlNode): Artifact[] =>
  node
    .at('artifacts')
    .entries()
    .map(([name, artifact]) =>
      typeof artifact.value === 'string'
        ? { name, type: typeByEnding(artifact.value), file: artifact }
        : { name, type: artifact.at('type').text(), file: artifact.at('file') },
    );

function typeByEnding(file: string): string | undefined {
  if (isImageFile(file)) return Tosca.swImage;
  return IMPLEMENTATIONS.find(([ending]) => ending.test(file))?.[1];
}
