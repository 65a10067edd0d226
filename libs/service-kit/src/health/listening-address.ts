import { BlockList, isIP } from 'node:net';
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

/** `10.1.0.0/24` or `fd00::/64` in its parts; undefined where the text is no network. */
function partsOf(text: string): { address: string; length: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [, address = '', digits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  const length = Number(digits);
  if (version === 0 || length > (version === 4 ? 32 : 128)) return undefined;
  return { address, length, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Whether a text is an address or a name, or a network as {@link listeningAddress} takes it. */
export const isListeningHost = (text: string): boolean => text !== '' && (!text.includes('/') || partsOf(text) !== undefined);

/**
 * What to listen on: an address or a name is that itself; of a network (`10.1.0.0/24`) it is this machine's own address in it, so that a machine in several networks
 * serves one of them alone. `deploy/images/ready.mjs` loads this file by itself: it imports nothing but Node's modules.
 * @returns undefined where this machine has no address in the network
 */
export function listeningAddress(
  host: string,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
): string | undefined {
  const network = partsOf(host);
  if (network === undefined) return host;
  const within = new BlockList();
  within.addSubnet(network.address, network.length, network.family);
  return Object.values(interfaces)
    .flatMap((addresses = []) => addresses)
    .find(({ address, family }) => family.toLowerCase() === network.family && within.check(address, network.family))?.address;
}
