import { isoSeconds, uuid } from '../state/ids.js';
import type { CloudState, FloatingIp, Network } from '../state/state.js';
import type { Neutron } from './neutron.js';
import { badRequest, inUse, neutronError, notFound } from './neutron-errors.js';

/** Floating IPs of external networks. */
export class FloatingIps {
  constructor(
    private readonly state: CloudState,
    private readonly neutron: Neutron,
  ) {}

  of = (projectId: string): FloatingIp[] => [...this.state.floatingIps.values()].filter((one) => one.projectId === projectId);

  get(projectId: string, id: string): FloatingIp {
    const found = this.state.floatingIps.get(id);
    if (found?.projectId !== projectId) throw notFound('FloatingIP', id);
    return found;
  }

  create(projectId: string, networkId: string, requested: { address?: string; tags?: string[] } = {}): FloatingIp {
    const network = this.neutron.network(projectId, networkId);
    if (!network.external) throw badRequest(`Network ${network.id} is not a valid external network`);
    const [fixed] = this.neutron.allocate(
      network,
      requested.address === undefined ? undefined : [{ address: requested.address }],
    );
    if (fixed === undefined) throw noAddress(network);
    const now = isoSeconds();
    const floating: FloatingIp = {
      id: uuid(),
      projectId,
      networkId: network.id,
      subnetId: fixed.subnet_id,
      address: fixed.ip_address,
      portId: null,
      fixedAddress: null,
      description: '',
      tags: requested.tags ?? [],
      createdAt: now,
      updatedAt: now,
    };
    this.state.floatingIps.set(floating.id, floating);
    return floating;
  }

  /** Ties it to a port's first address, or unties it. */
  associate(projectId: string, id: string, portId: string | null, fixedAddress?: string): FloatingIp {
    const floating = this.get(projectId, id);
    if (portId === null) {
      floating.portId = null;
      floating.fixedAddress = null;
    } else {
      const port = this.neutron.port(projectId, portId);
      const address = fixedAddress ?? port.fixedIps[0]?.ip_address;
      if (address === undefined) throw badRequest(`Cannot add floating IP to port ${portId} that has no fixed IPv4 addresses`);
      if (floating.portId !== null && floating.portId !== portId) {
        throw inUse(
          'FloatingIPPortAlreadyAssociated',
          `Cannot associate floating IP ${floating.address} (${floating.id}) with port ${portId} using fixed IP ${address}, as that fixed IP already has a floating IP on external network ${floating.networkId}.`,
        );
      }
      floating.portId = portId;
      floating.fixedAddress = address;
    }
    floating.updatedAt = isoSeconds();
    return floating;
  }

  delete(projectId: string, id: string): void {
    this.get(projectId, id);
    this.state.floatingIps.delete(id);
  }

  /** The floating addresses tied to a port. */
  onPort = (portId: string): FloatingIp[] => [...this.state.floatingIps.values()].filter((one) => one.portId === portId);
}

const noAddress = (network: Network) =>
  neutronError(409, 'ExternalIpAddressExhausted', `Unable to find any IP address on external network ${network.id}.`);
