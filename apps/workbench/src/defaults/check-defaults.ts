import { WindlassError, type Duration } from '@windlass/foundation';
import type { InternetClient } from './internet-client.js';
import type { Look } from './looks.js';
import { unknown, type Result, type Seen } from './seen.js';

/** What was seen at one address. */
export interface Checked extends Seen {
  readonly of: string;
  readonly address: string;
}

/** All that was seen. */
export interface DefaultsReport {
  readonly checked: readonly Checked[];
  /** Defaults of which all addresses were found, with the day to write into the file, `2026-11-26`. */
  readonly lastSeen: Readonly<Record<string, string>>;
}

/** Addresses that are asked at one moment: who serves several of them must not take it for an attack. */
const AT_ONCE = 4;

/**
 * Looks for every default, each address within that time.
 * @param today the day, as `2026-11-26`
 */
export async function checkDefaults(
  looks: readonly Look[],
  client: InternetClient,
  { within, today }: { within: Duration; today: string },
): Promise<DefaultsReport> {
  const seen: Promise<Checked>[] = [];
  for (const [at, { of, address, look }] of looks.entries()) {
    const before = seen[at - AT_ONCE];
    seen.push(
      (async () => {
        await before;
        return { of, address, ...(await client.within(within, look).catch(notReached)) };
      })(),
    );
  }
  const rows = await Promise.all(seen);
  const there = [...new Set(rows.map(({ of }) => of))].filter((name) =>
    rows.every(({ of, result }) => of !== name || result === 'found'),
  );
  return { checked: rows, lastSeen: Object.fromEntries(there.map((name) => [name, today])) };
}

/** What the network says is no word about a default. */
function notReached(error: unknown): Seen {
  if (error instanceof WindlassError) return unknown(error.message);
  throw error;
}

/** 1: one is gone; 2: none is, but some could not be asked; 0: all were found. */
export function exitStatus({ checked }: DefaultsReport): number {
  const has = (wanted: Result): boolean => checked.some(({ result }) => result === wanted);
  return has('gone') ? 1 : has('unknown') ? 2 : 0;
}

/** The report as lines for a person. */
export function reportText({ checked, lastSeen }: DefaultsReport): string {
  const wide = Math.max(...checked.map(({ of }) => of.length));
  const rows = checked.map(
    ({ result, of, address, says }) => `${result.padEnd(7)}  ${of.padEnd(wide)}  ${address}\n${' '.repeat(9)}${printable(says)}`,
  );
  const dates = Object.entries(lastSeen).map(([of, day]) => `  ${of.padEnd(wide)}  lastSeen: '${day}'`);
  const count = (wanted: Result): number => checked.filter(({ result }) => result === wanted).length;
  return [
    ...rows,
    '',
    `${count('found')} found, ${count('gone')} gone, ${count('unknown')} not known`,
    ...(dates.length === 0 ? [] : ['To be written into apps/k8s-mgmt/src/settings/internet-defaults.ts:', ...dates]),
  ].join('\n');
}

/** Servers' words are anybody's: nothing in them reaches the terminal as a control, and a line is enough. */
const printable = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?').slice(0, 300);
