import type { MachineNic, MachineSpec } from '../../machine-fleet.js';
import { parseCidr } from '../network/addresses.js';
import type { CloudState, Port, Server } from '../state/state.js';

/** What the fleet is asked for: the cards that lie in the lab's network, and the disks but for the boot disk. */
export function machineSpec(state: CloudState, server: Server, labNetworkId: string): MachineSpec {
  const ports = server.portIds.flatMap((id) => state.ports.get(id) ?? []);
  const key = state.keyPairs.get(`${server.userId}/${server.keyName ?? ''}`);
  const flavor = state.flavors.get(server.flavorId);
  return {
    ...(flavor === undefined ? {} : { memoryMiB: flavor.ram }),
    ...(server.userData === null ? {} : { userData: server.userData }),
    ...(key === undefined ? {} : { publicKeys: [key.publicKey] }),
    serverId: server.id,
    name: server.name,
    imageName: server.imageName,
    nics: ports.filter((port) => port.networkId === labNetworkId).flatMap((port) => nic(state, port)),
    volumes: server.volumes
      .filter((one) => one.device !== '/dev/vda')
      .map((one) => ({ volumeId: one.volumeId, device: one.device, sizeGiB: state.volumes.get(one.volumeId)?.size ?? 1 })),
  };
}

function nic(state: CloudState, port: Port): MachineNic[] {
  const [first, ...more] = port.fixedIps;
  if (first === undefined) return [];
  const prefixLength = parseCidr(state.subnets.get(first.subnet_id)?.cidr ?? '')?.prefix ?? 24;
  return [
    {
      mac: port.mac,
      address: first.ip_address,
      prefixLength,
      allowedAddresses: [...more.map((ip) => ip.ip_address), ...port.addressPairs.map((pair) => pair.ip_address)],
    },
  ];
}
