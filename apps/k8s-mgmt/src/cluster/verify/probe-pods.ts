import type { JsonObject } from '@windlass/foundation';

/** What all that the verification makes is found by. */
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

/** Tells who it is over HTTP. */
const ANSWERS = `echo "$NODE" > /www/index.html && exec httpd -f -p ${PORT} -h /www`;

/**
 * What asks, in a pod: the Service by its name ($1), and every other pod by its address (node=address). It prints a line for each that does not
 * answer, and nothing where all do. The questions are asked side by side, so that many that time out take no longer than one.
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
      // A pod is refused until its namespace has the account that it runs as; this one is there before them.
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

/** By the scheduler onto that node alone, whatever its taints are; without any right, as the policy `restricted` of Kubernetes wants it. */
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
  // A name that nobody answers for is given up in time to say so.
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
