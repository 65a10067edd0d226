import { millis, type Duration } from '@windlass/foundation';

const UNITS: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration in Go's notation (`1h30m`, `500ms`, `0`); undefined where Go would refuse it. */
export function parseGoDuration(text: string): Duration | undefined {
  if (text === '0') return millis(0);
  const negative = text.startsWith('-');
  const body = text.replace(/^[+-]/, '');
  if (!/^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(body)) return undefined;
  let sum = 0;
  for (const [, number, unit] of body.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)) {
    sum += Number(number) * (UNITS[unit ?? ''] ?? 0);
  }
  return millis(negative ? -sum : sum);
}

/** As Go prints it: `24h0m0s`, `1m30s`, `500ms`, `0s`. */
export function formatGoDuration(duration: Duration): string {
  if (duration === 0) return '0s';
  if (duration < 1_000) return `${duration}ms`;
  const seconds = duration / 1_000;
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  const rest = seconds % 60;
  const tail = `${Number(rest.toFixed(3))}s`;
  if (hours > 0) return `${hours}h${minutes}m${tail}`;
  return minutes > 0 ? `${minutes}m${tail}` : tail;
}
