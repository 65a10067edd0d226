import { describe, expect, it } from 'vitest';
import { parseDocuments } from './documents.js';

const refused = (text: string): Promise<unknown> =>
  parseDocuments(text).then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error ? error.message : error),
  );

const V4 = 'apiVersion: kubeadm.k8s.io/v1beta4\n';

describe('configuration files of kubeadm', () => {
  it('takes every kind of v1beta4 in one file', async () => {
    const documents = await parseDocuments(`${V4}kind: InitConfiguration
bootstrapTokens: [{token: abcdef.0123456789abcdef, ttl: 24h}]
nodeRegistration: {name: n1, kubeletExtraArgs: [{name: node-ip, value: 10.0.0.1}], imagePullSerial: true}
timeouts: {controlPlaneComponentHealthCheck: 4m}
---
${V4}kind: ClusterConfiguration
apiServer: {extraArgs: [{name: v, value: "5"}], certSANs: [10.0.0.1]}
networking: {podSubnet: 10.244.0.0/16}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failSwapOn: false
cgroupDriver: systemd
evictionHard: {memory.available: 100Mi}
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: ipvs
ipvs: {strictARP: true}
`);
    expect(documents.map((document) => document.kind)).toEqual([
      'InitConfiguration',
      'ClusterConfiguration',
      'KubeletConfiguration',
      'KubeProxyConfiguration',
    ]);
  });

  it('takes the maps of arguments in v1beta3, and only there', async () => {
    const body = 'kind: ClusterConfiguration\napiServer: {extraArgs: {v: "5"}, timeoutForControlPlane: 4m0s}\n';
    await expect(parseDocuments(`apiVersion: kubeadm.k8s.io/v1beta3\n${body}`)).resolves.toHaveLength(1);
    expect(await refused(`${V4}${body}`)).toMatch(
      /cannot unmarshal object into Go struct field apiServer\.extraArgs of type list/,
    );
  });

  it.each([
    [`${V4}kind: ClusterConfiguration\nnetworking: {podSubnets: 10.244.0.0/16}`, 'unknown field "networking.podSubnets"'],
    [
      `${V4}kind: InitConfiguration\nlocalAPIEndpoint: {bindPort: "6443"}`,
      'cannot unmarshal string into Go struct field localAPIEndpoint.bindPort of type int32',
    ],
    [`${V4}kind: JoinConfiguration\ndiscovery: {timeout: 5m0s}`, 'unknown field "discovery.timeout"'],
    [`${V4}kind: InitConfiguration\nbootstrapTokens: [{ttl: soon}]`, 'bootstrapTokens[0].ttl of type Duration'],
    ['apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nswapOn: true', 'unknown field "swapOn"'],
    ['apiVersion: kubeadm.k8s.io/v1beta2\nkind: InitConfiguration', 'uses an old API spec: "kubeadm.k8s.io/v1beta2"'],
    ['apiVersion: kubeadm.k8s.io/v1beta3\nkind: ResetConfiguration', 'no kind "ResetConfiguration" is registered'],
    [`${V4}kind: MasterConfiguration`, 'no kind "MasterConfiguration" is registered for version "kubeadm.k8s.io/v1beta4"'],
    ['kind: InitConfiguration', 'kind and apiVersion is mandatory information'],
    [`${V4}kind: InitConfiguration\n---\n${V4}kind: InitConfiguration`, 'kind "InitConfiguration" is specified twice'],
    ['a: [', 'error converting YAML to JSON'],
    ['- a', 'a document must be an object'],
  ])('refuses %j', async (text, message) => {
    expect(await refused(text)).toContain(message);
  });
});
