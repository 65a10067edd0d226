import type { Csar } from '../archive/csar.js';

/** Where a package's manifests mostly lie: whatever is there is meant as one. */
const FOLDER = /^Files\/[^/]*kubernetes[^/]*\//i;
/** Where none does: definitions, templates and what is read with them. */
const ELSEWHERE = /^(?:Definitions|BaseHOT|TOSCA-Metadata)\//i;
/** A file that could be one, and how much of it is looked at. */
const NAME = /\.(?:ya?ml|json)$/i;
const BYTES = 1_048_576;
const FILES = 200;

/** Whether any file of the package is a manifest of Kubernetes, wherever the request will find it. */
export async function bringsManifests(csar: Csar, signal?: AbortSignal): Promise<boolean> {
  const { members } = csar;
  if (members.some(({ name }) => FOLDER.test(name))) return true;
  const possible = members.filter(({ name, size }) => NAME.test(name) && !ELSEWHERE.test(name) && size <= BYTES);
  for (const { name } of possible.slice(0, FILES)) {
    const text = (await csar.readMember(name, BYTES, signal)).toString('utf8');
    if (hasMember(text, 'apiVersion') && hasMember(text, 'kind')) return true;
  }
  return false;
}

const hasMember = (text: string, name: string): boolean => new RegExp(`^[ \\t{]*["']?${name}["']?[ \\t]*:`, 'm').test(text);
