import { createHash } from 'node:crypto';

/** A name as one part of a path on the host: plain names stay themselves, so that people find their way; others get a digest. */
export function segment(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(name)) return name;
  const plain = name
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40);
  return `${plain === '' ? 'x' : plain}+${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}
