import type { JsonObject } from '@windlass/foundation';
import type { FakeReply } from '@windlass/mgmt-driver/testing';

/** A pod of the fake cluster, with its status. */
export interface FakePod {
  namespace: string;
  node: string;
  spec: JsonObject;
}

/** The `status` of a pod in the API, by its node. */
export type PodFate = (node: string) => JsonObject;

/** The status of a pod that answers. */
export const ready: PodFate = () => ({ phase: 'Running', podIP: '192.168.0.9', conditions: [{ type: 'Ready', status: 'True' }] });

/** The status of a pod that waits for a reason. */
export const waits = (reason: string, message: string): JsonObject => ({
  phase: 'Pending',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [{ state: { waiting: { reason, message } } }],
});

/** Pods and their namespaces, as kubectl shows them. */
export class FakePods {
  readonly pods = new Map<string, FakePod>();
  readonly namespaces = new Set<string>();
  /** Every pod so far, by its node. */
  readonly ran: string[] = [];
  fate: PodFate = ready;
  /** The reply of a program in a node's pod. */
  says: (node: string, command: string) => FakeReply = () => ({});

  /** The reply of kubectl to its arguments; undefined where they are about other objects. */
  reply(rest: string): FakeReply | undefined {
    if (/^delete namespaces -l \S*component=verify-cluster/.test(rest)) return { effect: () => this.clear() };
    const listed = /^-n (\S+) get pods -o json$/.exec(rest)?.[1];
    if (listed !== undefined) return { stdout: JSON.stringify({ items: this.#list(listed) }) };
    const [, name] = /^-n \S+ exec (\S+) -- /.exec(rest) ?? [];
    if (name === undefined) return undefined;
    const pod = this.pods.get(name);
    return pod === undefined
      ? { status: 1, stderr: `Error from server (NotFound): pods "${name}" not found` }
      : this.says(pod.node, rest);
  }

  /** Applies an object; whether it was one of ours. */
  applied({ kind, metadata, spec }: JsonObject): boolean {
    const { name, namespace } = metadata as { name: string; namespace: string };
    if (kind === 'Namespace') this.namespaces.add(name);
    if (kind !== 'Pod' || this.pods.has(name)) return kind === 'Pod' || kind === 'Namespace';
    const node = /"key":"metadata.name","operator":"In","values":\["([^"]+)"/.exec(JSON.stringify(spec))?.[1] ?? '';
    this.ran.push(node);
    this.pods.set(name, { namespace, node, spec: spec as JsonObject });
    return true;
  }

  clear(): void {
    this.pods.clear();
    this.namespaces.clear();
  }

  #list(namespace: string): JsonObject[] {
    const here = [...this.pods].filter(([, pod]) => pod.namespace === namespace);
    return here.map(([name, { node }]) => ({ metadata: { name }, spec: { nodeName: node }, status: this.fate(node) }));
  }
}
