import { isJsonObject, type JsonObject } from '@windlass/foundation';

/** A Service of the type NodePort: each node of its cluster answers at these ports. */
export interface NodePortService {
  namespace: string;
  name: string;
  ports: {
    /** Absent where a manifest leaves it to the cluster. */
    nodePort?: number;
    /** TCP, UDP or SCTP. */
    protocol: string;
  }[];
}

/**
 * What an object exposes at ports of the nodes, as a manifest or a cluster has it; undefined for what is no Service of the type NodePort.
 * @param namespace of an object that names none
 */
export function nodePortServiceOf({ kind, metadata, spec }: JsonObject, namespace: string): NodePortService | undefined {
  if (kind !== 'Service' || !isJsonObject(metadata) || !isJsonObject(spec) || spec.type !== 'NodePort') return undefined;
  const { name, namespace: own } = metadata;
  if (typeof name !== 'string') return undefined;
  const listed = Array.isArray(spec.ports) ? spec.ports.filter(isJsonObject) : [];
  const ports = listed.map(({ nodePort, protocol }) => ({
    ...(typeof nodePort === 'number' && nodePort !== 0 ? { nodePort } : {}),
    protocol: typeof protocol === 'string' ? protocol : 'TCP',
  }));
  return { namespace: typeof own === 'string' ? own : namespace, name, ports };
}
