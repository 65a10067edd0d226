import type { JsonObject } from '@windlass/foundation';
import type { FakeCall } from '@windlass/mgmt-driver/testing';
import { parseAllDocuments } from 'yaml';

/** The content of a job's file. */
export const contentOf = ({ files }: FakeCall, name: string): string =>
  [...files].find(([path]) => path.endsWith(`/${name}`))?.[1] ?? '';

/** The name and address of the joining node in kubeadm's configuration. */
export function joinIn(configuration: string): { name: string; address: string } {
  const [join] = documentsOf(configuration);
  const { name, kubeletExtraArgs } = join!.nodeRegistration as unknown as { name: string; kubeletExtraArgs: { value: string }[] };
  return { name, address: kubeletExtraArgs[0]!.value };
}

export const documentsOf = (text: string): JsonObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
export const itemsOf = (list: JsonObject): JsonObject[] => list.items as JsonObject[];
export const keyOf = ({ kind, metadata }: JsonObject): string =>
  `${String(kind).toLowerCase()}/${String((metadata as JsonObject).name)}`;
