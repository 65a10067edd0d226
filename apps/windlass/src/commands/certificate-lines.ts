import { isJsonObject, type JsonObject } from '@windlass/foundation';

const DAY_MS = 86_400_000;

/** When the certificates of an instance's cluster end, as the instance's view has it in `instantiatedVnfInfo.metadata`. */
export type ShownCertificates = {
  /** RFC 3339, as the others. */
  lookedAt: string;
  certificates: { master: string; name: string; endsAt: string }[];
};

/** What an instance's view says of certificates; undefined where nobody has looked, or there are none. */
export function certificatesIn({ instantiatedVnfInfo: info }: JsonObject): ShownCertificates | undefined {
  const metadata = isJsonObject(info) ? info.metadata : undefined;
  const shown = isJsonObject(metadata) ? metadata.windlassCertificates : undefined;
  return shown as ShownCertificates | undefined;
}

/** A line for each certificate, the one that ends first at the top: its end, the whole days that are left, the master that has it, its name. */
export function certificateLines(shown: ShownCertificates | undefined, now: Date): string[] {
  if (shown === undefined)
    return [
      'nobody has looked at certificates of this instance: INSTANTIATE, SCALE and HEAL of a cluster that mgmt-drivers-kubernetes made look at them when they end, and so does --look',
    ];
  const rows = shown.certificates
    .map(({ master, name, endsAt }) => ({ master, name, endsAt: new Date(endsAt) }))
    .sort((one, other) => one.endsAt.getTime() - other.endsAt.getTime())
    .map(({ master, name, endsAt }) => [timeOf(endsAt), leftAt(endsAt, now), master, name] as const);
  const table = [['ENDS', 'LEFT', 'MASTER', 'CERTIFICATE'] as const, ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return [...lines, `looked at ${timeOf(new Date(shown.lookedAt))}`];
}

const timeOf = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, 'Z');

function leftAt(endsAt: Date, now: Date): string {
  const left = Math.floor((endsAt.getTime() - now.getTime()) / DAY_MS);
  if (left < 0) return 'ended';
  return left === 1 ? '1 day' : `${left} days`;
}
