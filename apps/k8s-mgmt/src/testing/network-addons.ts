import { packagesOf } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import type { PackageFile } from '@windlass/mgmt-driver';
import { defaultSettings, type K8sMgmtSettings } from '../settings/settings.js';
import { PARAMS, plainParams, script } from './requests.js';

/** A small manifest with the names of Calico's: its settings, and the objects that run pods. Written for these tests. */
export const CALICO = `
apiVersion: v1
kind: ConfigMap
metadata: { name: calico-config, namespace: kube-system }
data: { veth_mtu: "0" }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: calico-node, namespace: kube-system }
spec:
  template:
    spec:
      initContainers:
        - { name: install-cni, image: "docker.io/calico/cni:v3.31.3" }
      containers:
        - name: calico-node
          image: docker.io/calico/node:v3.31.3
          env:
            - { name: IP, value: autodetect }
            - { name: CALICO_IPV4POOL_CIDR, value: 10.1.0.0/16 }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: calico-kube-controllers, namespace: kube-system }
spec:
  template:
    spec:
      containers: [{ name: calico-kube-controllers, image: "docker.io/calico/kube-controllers:v3.31.3" }]
`;

/** A network add-on of a package's author, in two files. */
export const MANIFESTS: Readonly<Record<string, string>> = {
  'Files/net/1-rights.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: { name: net }\n',
  'Files/net/2-agents.yaml': `# agents, and who rules them
apiVersion: v1
kind: List
items:
  - apiVersion: apps/v1
    kind: DaemonSet
    metadata: { name: agent, namespace: net }
    spec: { template: { spec: { containers: [{ name: agent, image: "own.example/agent:1" }] } } }
  - apiVersion: v1
    kind: Secret
    metadata: { name: key, namespace: net }
    stringData: { key: hush-hush }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: ruler, namespace: net }
spec: { replicas: 2 }
`,
};

/** The package's files with the manifests beside the script. */
export const withManifests = (): PackageFile[] => [
  script(),
  ...Object.entries(MANIFESTS).map(([path, text]) => ({
    path,
    size: text.length,
    sha256: 'ef'.repeat(32),
    firstLine: text.split('\n')[0] ?? '',
  })),
];

export const packages = packagesOf(MANIFESTS);

/** `additionalParams` of a cluster with that network add-on. */
export function withNetwork(addon: string | string[], more: JsonObject = {}): JsonObject {
  const params = plainParams();
  Object.assign(params[PARAMS] as JsonObject, { network_addon: addon, ...more });
  return params;
}

/** The settings of a service with Calico's manifest. */
export const withCalico = (objects: readonly JsonObject[]): K8sMgmtSettings => ({ ...defaultSettings, calicoManifest: objects });
