import { YamlNode } from '../yaml/yaml-node.js';

/** One `get_param: [nfv, VDU, masterNode, flavor]` of a template. */
export interface NfvReference {
  /** `VDU` or `CP`. */
  section: string;
  /** Name of the VDU, storage or connection point. */
  name: string;
  /** `flavor`, `image`, `network`, `fixed_ips`, ... */
  attribute: string;
  /** What follows the attribute: `['0', 'ip_address']`. */
  path: string[];
  /** The resource of its template that asks. */
  resource: string;
}

/** All that a template asks of the parameter `nfv`, each once a resource. */
export function nfvReferences(template: YamlNode): NfvReference[] {
  const found = new Map<string, NfvReference>();
  for (const section of ['resources', 'outputs'] as const) {
    for (const [resource, node] of template.at(section).entries()) {
      for (const reference of referencesIn(node, section === 'resources' ? resource : ''))
        found.set(JSON.stringify(reference), reference);
    }
  }
  return [...found.values()];
}

function referencesIn(root: YamlNode, resource: string): NfvReference[] {
  const references: NfvReference[] = [];
  const open = [root];
  for (const node of open) {
    const asked = node.isMap ? node.at('get_param') : undefined;
    if (asked?.isList === true) references.push(...(referenceOf(asked, resource) ?? []));
    if (node.isMap) open.push(...node.entries().map(([, member]) => member));
    else if (node.isList) open.push(...node.items());
  }
  return references;
}

function referenceOf(asked: YamlNode, resource: string): NfvReference[] | undefined {
  const [parameter, section, name, attribute, ...path] = asked
    .items()
    .map(({ value }) => (typeof value === 'string' ? value : undefined));
  if (parameter !== 'nfv' || section === undefined || name === undefined || attribute === undefined) return undefined;
  return [{ section, name, attribute, path: path.map((step) => step ?? ''), resource }];
}
