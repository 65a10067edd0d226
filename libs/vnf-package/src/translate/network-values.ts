import { isIP } from 'node:net';
import type { YamlNode } from '../yaml/yaml-node.js';

/** What Neutron would refuse in the middle of an instantiation is refused here, by its place. */

/** One of these, in any letters: it is given back in small ones. @throws PackageError for another. */
export function oneOf(node: YamlNode, known: readonly string[]): string | undefined {
  const value = node.text()?.toLowerCase();
  if (value === undefined || known.includes(value)) return value;
  throw node.wrong(`should be ${known.slice(0, -1).join(', ')} or ${known.at(-1) ?? ''}, is ${JSON.stringify(value)}`);
}

/** An IP address, of a version where one is given. @throws PackageError for another text. */
export function address(node: YamlNode, version?: 4 | 6): string {
  const text = node.requiredText();
  const found = isIP(text);
  if (found === 0 || (version !== undefined && found !== version))
    throw node.wrong(`should be an ${version === undefined ? 'IP' : `IPv${version}`} address, is ${JSON.stringify(text)}`);
  return text;
}

/** A range of addresses, such as `10.0.0.0/24`. @throws PackageError for another text. */
export function range(node: YamlNode, version?: 4 | 6): string {
  const text = node.requiredText();
  const [, first = '', length] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const found = isIP(first);
  const fits = found !== 0 && Number(length) <= (found === 4 ? 32 : 128) && (version === undefined || found === version);
  if (!fits) throw node.wrong(`should be a range of ${version === undefined ? 'IP' : `IPv${version}`} addresses, such as ${version === 6 ? 'fd00:1::/64' : '10.0.0.0/24'}, is ${JSON.stringify(text)}`); // prettier-ignore
  return text;
}

const LAST_PORT = 65_535;

/** A number of a port. @throws PackageError for another number. */
export function portNumber(node: YamlNode): number | undefined {
  const number = node.integer();
  if (number === undefined || (number >= 0 && number <= LAST_PORT)) return number;
  throw node.wrong(`should be a port, 0 to ${LAST_PORT}, is ${number}`);
}
