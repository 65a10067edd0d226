import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { TerminalError } from '@windlass/foundation';
import type { LabNetwork, MachineNic } from '../machine-fleet.js';
import { run } from '../debian/command.js';
import type { LabIdentity } from './lab-identity.js';

/** Labs take their /24 from these: `10.77.0.0/16` and the two after it. */
const POOL = [77, 78, 79];

/** The lab's bridge on this machine. */
export interface Bridge {
  name: string;
  network: LabNetwork;
}

/**
 * Makes the lab's bridge on the first free /24 from the lab's own starting point. The subnet is in the bridge's name, so that of
 * two labs that start at once only one can have it.
 * @throws TerminalError `lab.network` when every subnet of the pool is in use.
 */
export async function claimBridge(lab: LabIdentity): Promise<Bridge> {
  const used = await usedRanges();
  for (const [second, third] of candidates(lab.firstSubnet)) {
    if (used.some((range) => overlaps(range, `10.${second}.${third}.0/24`))) continue;
    const name = `wl-${second}-${third}`;
    if (!(await addBridge(name, lab.bridgeMac))) continue;
    const subnet = `10.${second}.${third}`;
    await ip([`addr add ${subnet}.1/24 dev ${name}`, `link set ${name} up`]);
    // The VMs reach the bridge and each other, not what lies behind this machine, even where it forwards packets for others.
    await writeFile(`/proc/sys/net/ipv4/conf/${name}/forwarding`, '0');
    return {
      name,
      network: { cidr: `${subnet}.0/24`, gateway: `${subnet}.1`, firstAddress: `${subnet}.10`, lastAddress: `${subnet}.250` },
    };
  }
  throw new TerminalError(
    'lab.network',
    'every /24 of 10.77.0.0/16, 10.78.0.0/16 and 10.79.0.0/16 is in use here; stop a lab or free one of them',
  );
}

/** Plugs a VM's nic into the bridge: one end here, the other in the network namespace of a process, as `eth<index>`. */
export async function plug(link: string, bridge: string, nic: MachineNic, index: number, pid: number): Promise<void> {
  checkNic(nic);
  await ip([
    `link add ${link} type veth peer name eth${index} address ${nic.mac} netns ${pid}`,
    `link set ${link} master ${bridge} up`,
  ]);
}

/** The commands of `ip -batch` that set a VM's own end of its links up. */
export function guestLinks(nics: readonly MachineNic[], gateway: string): string {
  const lines = nics.flatMap((nic, index) => guestLink(nic, index));
  return ['link set lo up', ...lines, ...(nics.length === 0 ? [] : [`route add default via ${gateway}`]), ''].join('\n');
}

function guestLink(nic: MachineNic, index: number): string[] {
  checkNic(nic);
  return [`addr add ${nic.address}/${nic.prefixLength} brd + dev eth${index}`, `link set eth${index} up`];
}

/** Sets a card up in a VM that runs: the machine's own `ip`, in the VM's network namespace. */
export async function setUpInside(pid: number, nic: MachineNic, index: number, gateway: string): Promise<void> {
  const input = [...guestLink(nic, index), `route replace default via ${gateway}`, ''].join('\n');
  await run('nsenter', ['--target', String(pid), '--net', '--', 'ip', '-batch', '-'], { input });
}

/** Takes the cable out, or puts it in again. */
export const setLink = (link: string, up: boolean): Promise<void> => ip([`link set ${link} ${up ? 'up' : 'down'}`]);

/** Removes a link of the machine; its peer goes too. The kernel may have removed it already, with the VM's namespace. */
export async function unplug(link: string): Promise<void> {
  try {
    await ip([`link del ${link}`]);
  } catch (error) {
    if (await linkExists(link)) throw error;
  }
}

/** Names of the links and bridges that are this lab's. */
export async function linksOf(lab: LabIdentity): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir('/sys/class/net')) {
    if (name.startsWith(lab.linkPrefix)) found.push(name);
    else if (name.startsWith('wl-') && (await macOf(name)) === lab.bridgeMac) found.push(name);
  }
  return found;
}

/** Whether two IPv4 ranges in CIDR notation have an address in common. */
export function overlaps(a: string, b: string): boolean {
  const [addressA, bitsA] = parseRange(a);
  const [addressB, bitsB] = parseRange(b);
  const bits = Math.min(bitsA, bitsB);
  return bits === 0 || addressA >>> (32 - bits) === addressB >>> (32 - bits);
}

function parseRange(range: string): [number, number] {
  const [address = '', bits = '32'] = range.split('/');
  return [address.split('.').reduce((sum, byte) => (sum << 8) | Number(byte), 0) >>> 0, Number(bits)];
}

function* candidates(first: number): Generator<[number, number]> {
  for (const second of POOL) {
    for (let step = 0; step < 256; step++) yield [second, (first + step) % 256];
  }
}

interface IpRoute {
  dst: string;
}

/** Subnets that this machine has a route to, wide ones (a VPN's 10.0.0.0/8) left out: a /24 of those may be taken. */
async function usedRanges(): Promise<string[]> {
  const routes = JSON.parse((await run('ip', ['-json', '-4', 'route', 'show', 'table', 'all'])) || '[]') as IpRoute[];
  return routes.map(({ dst }) => dst).filter((dst) => /^\d+\.\d+\.\d+\.\d+(\/\d+)?$/.test(dst) && parseRange(dst)[1] >= 16);
}

async function addBridge(name: string, mac: string): Promise<boolean> {
  try {
    await ip([`link add ${name} address ${mac} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`]);
    return true;
  } catch (error) {
    if (await linkExists(name)) return false;
    throw error;
  }
}

async function macOf(link: string): Promise<string | undefined> {
  try {
    return (await readFile(`/sys/class/net/${link}/address`, 'utf8')).trim();
  } catch {
    return undefined;
  }
}

async function linkExists(link: string): Promise<boolean> {
  try {
    await access(`/sys/class/net/${link}`);
    return true;
  } catch {
    return false;
  }
}

function checkNic({ mac, address, prefixLength }: MachineNic): void {
  const whole =
    /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(mac) &&
    /^\d{1,3}(\.\d{1,3}){3}$/.test(address) &&
    prefixLength > 0 &&
    prefixLength <= 32;
  if (!whole)
    throw new TerminalError(
      'lab.network',
      `a nic needs a MAC and an IPv4 address with a prefix length, not '${mac}' and '${address}/${prefixLength}'`,
    );
}

const ip = async (lines: readonly string[]): Promise<void> => {
  await run('ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` });
};
