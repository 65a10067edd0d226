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

/**
 * A TOSCA `scalar-unit.size` (simple profile 3.3.6.4) in bytes: `2 GB` is 2,000,000,000, `4 GiB` is 2^32, `512` is 512.
 * Undefined where nothing stands. @throws PackageError where something else stands.
 */
export function sizeBytes(node: YamlNode): number | undefined {
  const text = node.text();
  if (text === undefined) return undefined;
  const match = /^(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = match?.[2] === '' ? 1 : UNITS[match?.[2]?.toLowerCase() ?? ''];
  if (match === null || unit === undefined) throw node.wrong(`should be a size such as "2 GB", is ${JSON.stringify(text)}`);
  return Math.round(Number(match[1]) * unit);
}
