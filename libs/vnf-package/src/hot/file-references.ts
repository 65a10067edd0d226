import type { YamlNode } from '../yaml/yaml-node.js';

/** A file that a template refers to, by the name it gives. */
export interface FileReference {
  name: string;
  kind: 'template' | 'file';
}

/** Names of files in a template: nested resource types, and `get_file`. Addresses are left to Heat. */
export function fileReferences(template: YamlNode): FileReference[] {
  const references: FileReference[] = [];
  const open = template
    .at('resources')
    .entries()
    .map(([, resource]) => resource);
  for (const node of open) {
    const type = node.isMap ? node.at('type').value : undefined;
    if (typeof type === 'string' && isTemplateName(type)) references.push({ name: type, kind: 'template' });
    const file = node.isMap ? node.at('get_file').value : undefined;
    if (typeof file === 'string' && !isAddress(file)) references.push({ name: file, kind: 'file' });
    if (node.isMap) open.push(...node.entries().map(([, member]) => member));
    else if (node.isList) open.push(...node.items());
  }
  return references;
}

/** True for a resource type that is a template of the package. */
export const isTemplateName = (type: string): boolean => /\.(ya?ml|template)$/i.test(type) && !isAddress(type);

const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
