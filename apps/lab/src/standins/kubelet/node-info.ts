import { arch, cpus, hostname, release, totalmem } from 'node:os';
import { randomUUID } from 'node:crypto';
import { readIfThere } from '../host/files.js';

const GO_NAMES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

const goArch = (): string => GO_NAMES[arch()] ?? arch();

/**
 * `status.nodeInfo`. A real kubelet takes the runtime's name from the runtime, and none is called `none`: who reads it knows that no container
 * runs here. containerd, which pulls the images, stands behind it.
 */
export async function nodeInfo(version: string, runtime: { name: string; version: string }): Promise<Record<string, string>> {
  const osRelease = (await readIfThere('/etc/os-release')) ?? '';
  const pretty = /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(osRelease)?.[1];
  const machineId = ((await readIfThere('/etc/machine-id')) ?? '').trim();
  return {
    machineID: machineId,
    systemUUID: machineId === '' ? randomUUID() : machineId,
    bootID: ((await readIfThere('/proc/sys/kernel/random/boot_id')) ?? '').trim(),
    kernelVersion: release(),
    osImage: pretty ?? 'Linux',
    containerRuntimeVersion: `none://${runtime.name}-${runtime.version.replace(/^v/, '').split('~')[0] ?? ''}`,
    kubeletVersion: version,
    kubeProxyVersion: '',
    operatingSystem: 'linux',
    architecture: goArch(),
  };
}

/** `status.capacity`, which is also all allocatable here. */
export const capacity = (): Record<string, string> => ({
  cpu: String(cpus().length),
  memory: `${Math.floor(totalmem() / 1024)}Ki`,
  pods: '110',
  'ephemeral-storage': '10Gi',
});

/** Labels that every kubelet puts on its node. */
export const nodeLabels = (nodeName: string): Record<string, string> => ({
  'beta.kubernetes.io/arch': goArch(),
  'beta.kubernetes.io/os': 'linux',
  'kubernetes.io/arch': goArch(),
  'kubernetes.io/hostname': nodeName,
  'kubernetes.io/os': 'linux',
});

/** The node name when nothing else is said: the hostname in lower case. */
export const defaultNodeName = (): string => hostname().trim().toLowerCase();
