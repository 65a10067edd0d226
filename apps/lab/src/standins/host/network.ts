import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';

/** The IPv4 address of the interface that has the default route, or of the first that is not loopback. */
export async function defaultAddress(): Promise<string | undefined> {
  const routed = addressOf(await defaultInterface());
  if (routed !== undefined) return routed;
  const [first] = Object.keys(networkInterfaces())
    .filter((name) => name !== 'lo')
    .map(addressOf)
    .filter((address) => address !== undefined);
  return first;
}

const addressOf = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : networkInterfaces()[name]?.find((entry) => entry.family === 'IPv4')?.address;

/** Whether a link of this host has that address. */
export const hasAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => entry.address === address) === true);

/** `/proc/net/route` has one line a route: the default one goes to 00000000. */
async function defaultInterface(): Promise<string | undefined> {
  const table = await readFile('/proc/net/route', 'utf8');
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .find((columns) => columns[1] === '00000000')?.[0];
}
