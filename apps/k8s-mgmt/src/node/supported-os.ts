import { TerminalError } from '@windlass/foundation';
import type { HostFacts } from '@windlass/mgmt-driver';

/** By `ID` and `VERSION_ID` of os-release. */
const SUPPORTED: Readonly<Record<string, readonly string[]>> = { ubuntu: ['22.04', '24.04'], debian: ['12'] };

/** Versions of Ubuntu that Kubernetes is installed on. */
export const UBUNTUS = SUPPORTED.ubuntu ?? [];

export const isSupportedUbuntu = (version: string): boolean => UBUNTUS.includes(version);

/** Architectures for which Kubernetes' packages exist and this driver was designed. */
const ARCHITECTURES = ['x86_64', 'aarch64'];

/** What is wrong with a node's operating system, with the list of what is supported; undefined where nothing is. */
export function osFault(node: string, { osId, osVersion, arch }: HostFacts): string | undefined {
  if (SUPPORTED[osId]?.includes(osVersion) === true && ARCHITECTURES.includes(arch)) return undefined;
  const list = Object.entries(SUPPORTED).flatMap(([id, versions]) => versions.map((version) => `${id} ${version}`));
  return `${node} runs ${osId} ${osVersion} on ${arch}; Kubernetes is installed on ${list.join(', ')} on ${ARCHITECTURES.join(' or ')}: use such an image`;
}

/** Checks the operating system for plans of earlier releases, which have no inspection. @throws TerminalError `node.os-unsupported` */
export function checkOs(node: string, facts: HostFacts): void {
  const fault = osFault(node, facts);
  if (fault !== undefined) throw new TerminalError('node.os-unsupported', fault);
}
