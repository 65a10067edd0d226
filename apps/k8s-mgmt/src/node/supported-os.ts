import { TerminalError } from '@windlass/foundation';
import type { HostFacts } from '@windlass/mgmt-driver';

/** By `ID` and `VERSION_ID` of os-release. */
const SUPPORTED: Readonly<Record<string, readonly string[]>> = { ubuntu: ['22.04', '24.04'], debian: ['12'] };

/** Architectures that Kubernetes' packages are made for and that this was thought through for. */
const ARCHITECTURES = ['x86_64', 'aarch64'];

/** @throws TerminalError `node.os-unsupported` with the list of what is supported */
export function checkOs(node: string, { osId, osVersion, arch }: HostFacts): void {
  if (SUPPORTED[osId]?.includes(osVersion) === true && ARCHITECTURES.includes(arch)) return;
  const list = Object.entries(SUPPORTED).flatMap(([id, versions]) => versions.map((version) => `${id} ${version}`));
  throw new TerminalError(
    'node.os-unsupported',
    `${node} runs ${osId} ${osVersion} on ${arch}; Kubernetes is installed on ${list.join(', ')} on ${ARCHITECTURES.join(' or ')}: use such an image`,
  );
}
