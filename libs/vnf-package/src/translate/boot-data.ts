import type { Json } from '@windlass/foundation';
import type { Context } from './context.js';
import { resolveInPackage } from '../archive/member-name.js';
import { memberText } from '../archive/member-text.js';
import type { Csar } from '../archive/csar.js';
import type { Topology } from '../vnfd/topology.js';
import { Tosca } from '../vnfd/type-tree.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** What a VDU's boot data is: a text, or the name of a member (SOL001 2.6.1 has a string, later ones a map). */
function written(topology: Topology, vduId: string): { text?: string; file?: YamlNode } {
  const data = topology.at('node_templates', vduId, 'properties', 'boot_data');
  if (!data.isMap) return data.present ? { text: data.requiredText(), file: data } : {};
  const inner = data.at('content_or_file_data');
  const text = inner.at('content').text();
  if (text !== undefined) return { text };
  return inner.at('source_path').present ? { file: inner.at('source_path') } : {};
}

/** The texts of the members that boot data names, by what it says. */
export async function readBootFiles(csar: Csar, topology: Topology, signal?: AbortSignal): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [id] of topology.nodes(Tosca.compute)) {
    const { text, file } = written(topology, id);
    const name = file?.requiredText();
    if (file === undefined || name === undefined || name.includes('\n')) continue;
    const path = [resolveInPackage(name, file.file), resolveInPackage(name)].find((each) => each !== undefined && csar.has(each));
    if (path !== undefined) files.set(name, await memberText(csar, path, csar.limits.yaml.bytes, signal));
    else if (text === undefined) throw file.wrong(`names ${JSON.stringify(name)}, which the package does not carry`);
  }
  return files;
}

/** The server's user data. */
export function bootText({ topology, bootFiles }: Context, vduId: string): Record<string, Json> {
  const { text, file } = written(topology, vduId);
  const content = bootFiles.get(file?.text() ?? '') ?? text;
  return content === undefined ? {} : { user_data: content };
}
