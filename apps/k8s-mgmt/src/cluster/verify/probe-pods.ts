import type { JsonObject } from '@windlass/foundation';

/** The labels by which everything that the verification makes is found. */
export const PROBE_LABELS = {
  'app.kubernetes.io/managed-by': 'windlass',
  'app.kubernetes.io/component': 'verify-cluster',
};

/** The Service's name, which the pods resolve. */
export const PROBE_SERVICE = 'probes';

const PORT = 8080;

/** A pod that nobody takes away ends by itself. Seconds. */
const POD_ENDS_AFTER = 1_800;

/** One probe an operation at a time: its namespace. */
export const probeNamespace = (operationId: string): string => `windlass-verify-${operationId}`.slice(0, 63);

/** Each pod answers HTTP with its node's name. */
const ANSWERS = `echo "$NODE" > /www/index.html && exec httpd -f -p ${PORT} -h /www`;

/**
 * A script that runs in a pod: it asks the Service by its name ($1), and each other pod by its address (node=address). It prints a line for each that
 * does not answer, and nothing where all do. The questions run side by side, so that many time-outs take no longer than one.
 */
export const ASKS_ALL = `
ask() {
  if said=$(wget -q -T 5 -O - "http://$2:${PORT}/" 2>&1); then
    case $said in $3) ;; *) echo "$1 answered \\"$said\\"" ;; esac
  else
    echo "$1: \${said:-no answer (wget ended with $?)}"
  fi
}
ask "the name $1" "$1" "*" &
shift
for peer; do ask "the pod on \${peer%%=*} (\${peer#*=})" "\${peer#*=}" "\${peer%%=*}" & done
wait
`;

/** A pod on each of the nodes, in a namespace of their own, and a Service with all of them behind it. */
export function probeObjects(namespace: string, image: string, nodes: readonly string[]): JsonObject {
  const own = { namespace, labels: PROBE_LABELS };
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace, labels: { ...PROBE_LABELS, 'pod-security.kubernetes.io/enforce': 'restricted' } },
      },
      // The API refuses a pod until its namespace has the account that the pod runs as. Kubernetes makes its default account some time later; this
      // account is made before the pods.
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: PROBE_SERVICE, ...own },
        automountServiceAccountToken: false,
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: PROBE_SERVICE, ...own },
        spec: { selector: PROBE_LABELS, ports: [{ name: 'http', port: PORT, targetPort: PORT }] },
      },
      ...nodes.map((node, index) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `probe-${index + 1}`, ...own },
        spec: podSpec(node, image),
      })),
    ],
  };
}

/** The scheduler puts the pod on that node alone, whatever the node's taints. The pod has no rights, as Kubernetes' policy `restricted` wants it. */
const podSpec = (node: string, image: string): JsonObject => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
      },
    },
  },
  tolerations: [{ operator: 'Exists' }],
  restartPolicy: 'Never',
  activeDeadlineSeconds: POD_ENDS_AFTER,
  terminationGracePeriodSeconds: 1,
  serviceAccountName: PROBE_SERVICE,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  // A name that no server answers for is given up early enough to report that.
  dnsConfig: {
    options: [
      { name: 'timeout', value: '2' },
      { name: 'attempts', value: '2' },
    ],
  },
  securityContext: { runAsNonRoot: true, runAsUser: 65_534, runAsGroup: 65_534, seccompProfile: { type: 'RuntimeDefault' } },
  volumes: [{ name: 'www', emptyDir: { sizeLimit: '1Mi' } }],
  containers: [
    {
      name: 'probe',
      image,
      command: ['sh', '-c', ANSWERS],
      env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      ports: [{ containerPort: PORT }],
      readinessProbe: { httpGet: { path: '/', port: PORT }, periodSeconds: 1, timeoutSeconds: 5 },
      resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      terminationMessagePolicy: 'FallbackToLogsOnError',
      volumeMounts: [{ name: 'www', mountPath: '/www' }],
    },
  ],
});
