import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { request } from 'node:http';
import { writeWhole } from '../../host/files.js';
import { systemctl } from '../../host/systemd.js';
import { addressAt, parseCidr } from '../../kube/ip-range.js';
import { pauseImage } from '../images.js';
import { line } from '../output.js';
import { KUBELET_FOLDER, MANIFESTS, type Argument, type ClusterSettings, type NodeSettings } from '../settings.js';
import type { Io } from '../../cli/program.js';

/** KubeletConfiguration as kubeadm fills it in; what the user gave wins. */
export function kubeletDocument(cluster: ClusterSettings, given: JsonObject): JsonObject {
  const services = parseCidr(cluster.serviceSubnet);
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${cluster.certificatesDir}/ca.crt` },
    },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'systemd',
    clusterDNS: services === undefined ? [] : [addressAt(services, 10)],
    clusterDomain: cluster.dnsDomain,
    healthzBindAddress: '127.0.0.1',
    healthzPort: 10_248,
    rotateCertificates: true,
    staticPodPath: MANIFESTS,
    ...given,
  };
}

/** Writes `config.yaml`, `instance-config.yaml` and the environment file. */
export async function writeKubeletFiles(
  document: JsonObject,
  cluster: ClusterSettings,
  node: NodeSettings,
  io: Io,
): Promise<void> {
  const { stringify } = await import('yaml');
  const environment = `${KUBELET_FOLDER}/kubeadm-flags.env`;
  line(io, `[kubelet-start] Writing kubelet environment file with flags to file "${environment}"`);
  await writeWhole(environment, `KUBELET_KUBEADM_ARGS="${kubeletArguments(cluster, node).join(' ')}"\n`, 0o644);
  const instance = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: node.criSocket,
  };
  line(io, `[kubelet-start] Writing kubelet configuration to file "${KUBELET_FOLDER}/instance-config.yaml"`);
  await writeWhole(`${KUBELET_FOLDER}/instance-config.yaml`, stringify(instance), 0o644);
  line(io, '[patches] Applied patch of type "application/strategic-merge-patch+json" to target "kubeletconfiguration"');
  line(io, `[kubelet-start] Writing kubelet configuration to file "${KUBELET_FOLDER}/config.yaml"`);
  await writeWhole(`${KUBELET_FOLDER}/config.yaml`, stringify({ ...document, containerRuntimeEndpoint: node.criSocket }), 0o644);
}

function kubeletArguments(cluster: ClusterSettings, node: NodeSettings): string[] {
  const own: Argument[] = [{ name: 'pod-infra-container-image', value: pauseImage(cluster) }];
  const hostnameOverride = [{ name: 'hostname-override', value: node.name }];
  const taints = (node.taints ?? []).map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`);
  const registered = taints.length === 0 ? [] : [{ name: 'register-with-taints', value: taints.join(',') }];
  const given = new Set(node.kubeletExtraArgs.map(({ name }) => name));
  return [...hostnameOverride, ...own, ...registered]
    .filter(({ name }) => !given.has(name))
    .concat(node.kubeletExtraArgs)
    .map(({ name, value }) => `--${name}=${value}`);
}

export const stopKubelet = (): Promise<string> => systemctl('stop', 'kubelet');

export async function startKubelet(io: Io): Promise<void> {
  line(io, '[kubelet-start] Starting the kubelet');
  await systemctl('daemon-reload');
  await systemctl('restart', 'kubelet');
}

/** `0`-status answers of the kubelet's health port. @throws Error with kubeadm's hint when it does not come up */
export async function waitForKubelet(within: number, io: Io): Promise<void> {
  const url = 'http://127.0.0.1:10248/healthz';
  line(io, `[kubelet-check] Waiting for a healthy kubelet at ${url}. This can take up to ${describe(within)}`);
  const begun = performance.now();
  try {
    await waitUntil(async (seen) => ((await healthy(url, seen)) ? true : undefined), {
      for: `the kubelet at ${url}`,
      within: millis(within),
      every: millis(100),
      growth: 1.3,
      atMost: seconds(1),
    });
  } catch (error) {
    io.err(
      `\nUnfortunately, an error has occurred, likely caused by:\n\t- The kubelet is not running\n\t- The kubelet is unhealthy due to a misconfiguration of the node in some way (required cgroups disabled)\n\n` +
        `If you are on a systemd-powered system, you can try to troubleshoot the error with the following commands:\n\t- 'systemctl status kubelet'\n\t- 'journalctl -xeu kubelet'\n\n`,
    );
    throw new Error(
      `failed while waiting for the kubelet to start: The HTTP call equal to 'curl -sSL ${url}' returned error: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  line(io, `[kubelet-check] The kubelet is healthy after ${((performance.now() - begun) / 1_000).toFixed(6)}s`);
}

export const describe = (duration: number): string =>
  `${Math.floor(duration / 60_000)}m${Math.round((duration % 60_000) / 1_000)}s`;

function healthy(url: string, seen: (text: string) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(url, { timeout: 1_000 }, (answer) => {
      answer.resume();
      seen(`HTTP status ${answer.statusCode ?? 0}`);
      resolve(answer.statusCode === 200);
    });
    sent.on('timeout', () => sent.destroy(new Error('time-out')));
    sent.on('error', (error) => {
      seen(error.message);
      resolve(false);
    });
    sent.end();
  });
}
