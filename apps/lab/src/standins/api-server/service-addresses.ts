import type { JsonObject } from '@windlass/foundation';
import type { Service } from '../kube/kinds.js';
import { addressAt, includesAddress, type IpRange } from '../kube/ip-range.js';
import { asObject, listAt, stringAt } from '../kube/object.js';
import { StatusError } from '../kube/status-error.js';
import { ensureObject } from './strategies/strategy.js';

/** Kubernetes' default `--service-node-port-range`. */
const NODE_PORTS = { first: 30_000, last: 32_767 };

/**
 * Gives a new Service its cluster address and node ports.
 * Two API servers could choose the same address at the same moment; the real one keeps a bitmap in etcd against that.
 * @throws StatusError 422 for an address outside the range or in use
 */
export function allocateAddresses(object: JsonObject, existing: readonly Service[], range: IpRange): void {
  const spec = ensureObject(object, 'spec');
  if (stringAt(spec, 'type') === 'ExternalName') return;
  const used = new Set(existing.map((service) => service.spec.clusterIP ?? ''));
  const asked = stringAt(spec, 'clusterIP');
  if (asked === 'None') {
    spec.clusterIPs = ['None'];
    return;
  }
  if (asked !== undefined && asked !== '' && (used.has(asked) || !includesAddress(range, asked))) {
    const why = used.has(asked) ? 'provided IP is already allocated' : 'the provided IP is not in the valid range';
    throw StatusError.invalid('Service', '', asObject(object).metadata.name, [
      { field: 'spec.clusterIPs', message: `Invalid value: ["${asked}"]: failed to allocate IP ${asked}: ${why}` },
    ]);
  }
  spec.clusterIP = asked !== undefined && asked !== '' ? asked : freeAddress(used, range);
  spec.clusterIPs = [spec.clusterIP];
  spec.ipFamilies = ['IPv4'];
  spec.ipFamilyPolicy = 'SingleStack';
  if (['NodePort', 'LoadBalancer'].includes(stringAt(spec, 'type') ?? '')) allocateNodePorts(spec, existing);
}

function freeAddress(used: ReadonlySet<string>, range: IpRange): string {
  // The first address is the API server's own service, the last one is broadcast.
  for (let index = 2; index < range.size - 1; index++) {
    const address = addressAt(range, index);
    if (!used.has(address)) return address;
  }
  throw new StatusError(500, 'InternalError', 'range is full');
}

function allocateNodePorts(spec: JsonObject, existing: readonly Service[]): void {
  const used = new Set(existing.flatMap((service) => (service.spec.ports ?? []).map((port) => port.nodePort ?? 0)));
  for (const port of listAt(spec, 'ports')) {
    if (typeof port !== 'object' || port === null || Array.isArray(port) || typeof port.nodePort === 'number') continue;
    let candidate = NODE_PORTS.first;
    while (used.has(candidate) && candidate < NODE_PORTS.last) candidate++;
    used.add(candidate);
    port.nodePort = candidate;
  }
}
