import { readFile } from 'node:fs/promises';
import { seconds, type Duration } from '@windlass/foundation';
import { parseGoDuration } from '../cli/go-duration.js';
import { CONTAINERD_SOCKET } from '../cri/container-runtime.js';
import { DocumentError, parseDocuments } from '../documents/documents.js';
import type { Taint } from '../kube/kinds.js';
import { at, listAt, stringAt } from '../kube/object.js';

/** What the stand-in uses of a KubeletConfiguration, with the kubelet's defaults. */
export interface KubeletConfiguration {
  staticPodPath: string;
  cgroupDriver: string;
  failSwapOn: boolean;
  containerRuntimeEndpoint: string;
  registerWithTaints: Taint[];
  clientCa: string;
  healthzPort: number;
  port: number;
  nodeStatusReportFrequency: Duration;
}

const GIVEN_ONCE = 'failed to load kubelet config file';

/** @throws DocumentError as the real kubelet prints it: no file, another kind, an unknown field, a value out of range */
export async function loadKubeletConfiguration(path: string): Promise<KubeletConfiguration> {
  const fail = (why: string): DocumentError => new DocumentError(`${GIVEN_ONCE}, path: ${path}, error: ${why}`);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw fail(
      `failed to read kubelet config file "${path}", error: ${absent ? `open ${path}: no such file or directory` : String(error)}`,
    );
  }
  const documents = await parseDocuments(text);
  const [document] = documents;
  if (document === undefined || documents.length > 1 || document.kind !== 'KubeletConfiguration') {
    throw fail('a single document of kind KubeletConfiguration is expected');
  }
  const configuration: KubeletConfiguration = {
    staticPodPath: stringAt(document, 'staticPodPath') ?? '',
    cgroupDriver: stringAt(document, 'cgroupDriver') ?? 'cgroupfs',
    failSwapOn: at(document, 'failSwapOn') !== false,
    containerRuntimeEndpoint: stringAt(document, 'containerRuntimeEndpoint') ?? CONTAINERD_SOCKET,
    registerWithTaints: listAt(document, 'registerWithTaints') as unknown as Taint[],
    clientCa: stringAt(document, 'authentication', 'x509', 'clientCAFile') ?? '',
    healthzPort: numberAt(document, 'healthzPort', 10_248),
    port: numberAt(document, 'port', 10_250),
    nodeStatusReportFrequency: parseGoDuration(stringAt(document, 'nodeStatusReportFrequency') ?? '0') || seconds(300),
  };
  if (!['cgroupfs', 'systemd'].includes(configuration.cgroupDriver)) {
    throw fail(`invalid configuration: unsupported cgroup driver "${configuration.cgroupDriver}"`);
  }
  return configuration;
}

function numberAt(document: unknown, member: string, preset: number): number {
  const value = at(document, member);
  return typeof value === 'number' ? value : preset;
}
