import { bytes, type Bytes } from '@windlass/foundation';
import type { YamlNode } from '../yaml/yaml-node.js';

const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  kib: 2 ** 10,
  mb: 1e6,
  mib: 2 ** 20,
  gb: 1e9,
  gib: 2 ** 30,
  tb: 1e12,
  tib: 2 ** 40,
};

/** 2^31 - 1 MiB, the most that Glance and Nova keep of `min_ram` and `ram`: some 2 PiB. More bytes than a number counts exactly are far above. */
const MOST = (2 ** 31 - 1) * 2 ** 20;

const HINT = 'write it with its unit, such as "2 GB" or "512 MiB" (B, kB, KiB, MB, MiB, GB, GiB, TB or TiB)';

/**
 * A TOSCA `scalar-unit.size` (simple profile 3.3.6.4) in bytes: `2 GB` is 2,000,000,000, `4 GiB` is 2^32. Units are read in capitals and
 * in small letters, and a blank before them may be left out. `0` needs no unit: what else has none is refused, for one reader takes
 * `512` for bytes and the next for MB.
 * Undefined where nothing stands. @throws PackageError where something else stands, and for more than {@link MOST}.
 */
export function sizeBytes(node: YamlNode): Bytes | undefined {
  const text = node.text()?.trim();
  if (text === undefined) return undefined;
  const [, amount, unit = ''] = /^(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]*)$/i.exec(text) ?? [];
  if (amount === undefined) {
    const number = /^[+-]?[\d._]+/.test(text) ? 'a size can neither be negative nor be written in another way; ' : '';
    throw node.wrong(`should be a size, is ${JSON.stringify(text)}: ${number}${HINT}`);
  }
  const factor = unit === '' && Number(amount) === 0 ? 1 : UNITS[unit.toLowerCase()];
  if (factor === undefined) {
    const fault = unit === '' ? 'has no unit' : `has the unit "${unit}", which TOSCA does not know`;
    throw node.wrong(`should be a size, and ${JSON.stringify(text)} ${fault}: ${HINT}`);
  }
  const size = Math.ceil(Number(amount) * factor);
  if (size > MOST) throw node.wrong(`is ${JSON.stringify(text)}: no VIM has more than ${MOST / 2 ** 40} TiB; ${HINT}`);
  return bytes(size);
}
