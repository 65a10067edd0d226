import { parseYaml } from './parse-yaml.js';
import { YamlNode } from './yaml-node.js';
import { YamlSource } from './yaml-source.js';
import type { YamlLimits } from '../refusals/limits.js';

/** The content of a YAML file, which knows in which line of it each value stands. @throws PackageError as `parseYaml` */
export function parsedNode(text: string, file: string, limits: YamlLimits): YamlNode {
  const { value, text: indented } = parseYaml(text, file, limits);
  return new YamlNode(value, file, [], new YamlSource(indented));
}
