import { days, hours, millis, minutes, seconds, Secret, type Duration, withoutEnd } from '@windlass/foundation';

/** A whole number, decimal, without sign. */
export const asInteger = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

const UNITS: Readonly<Record<string, (n: number) => Duration>> = { ms: millis, s: seconds, m: minutes, h: hours, d: days };

/** A length of time with its unit: `250ms`, `30s`, `5m`, `2h`, `7d`. */
export function asDuration(text: string): Duration | undefined {
  const [, number, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return number === undefined || unit === undefined ? undefined : UNITS[unit]?.(Number(number));
}

/** A length of time as {@link asDuration} reads it, in the largest unit that fits. */
export function durationText(duration: Duration): string {
  const [unit, size] = Object.entries(UNITS)
    .map(([name, make]) => [name, make(1)] as const)
    .reduce((best, next) => (duration % next[1] === 0 && duration >= next[1] ? next : best));
  return `${duration / size}${unit}`;
}

/** `true` or `false`, nothing else. */
export const asFlag = (text: string): boolean | undefined => (text === 'true' ? true : text === 'false' ? false : undefined);

/** Values separated by commas, spaces around them dropped; at least one. */
export function asList(text: string): string[] | undefined {
  const values = text.split(',').map((value) => value.trim());
  return values.includes('') ? undefined : values;
}

/** `name=number` separated by commas; a number without a name stands under `*`. */
export function asLimits(text: string): Record<string, number> | undefined {
  const limits = new Map<string, number>();
  for (const part of asList(text) ?? ['']) {
    const [, name = '*', number] = /^(?:([a-z0-9-]+)=)?([1-9]\d{0,5})$/.exec(part) ?? [];
    if (number === undefined || limits.has(name)) return undefined;
    limits.set(name, Number(number));
  }
  return Object.fromEntries(limits);
}

export const asSecret = (text: string): Secret => new Secret(text);

/** A reader of URLs with one of the given protocols (`nats:`). */
export const asUrl =
  (...protocols: string[]) =>
  (text: string): string | undefined =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined;

/** As {@link asUrl}, for a URL that holds a password. */
export const asSecretUrl =
  (...protocols: string[]) =>
  (text: string): Secret | undefined =>
    asUrl(...protocols)(text) === undefined ? undefined : new Secret(text);

/**
 * Reads a public URL: http or https, with whatever path a reverse proxy puts before ours.
 * @returns it without slashes at its end; undefined for what is no such URL, and where it holds credentials, a query or a fragment
 */
export function asPublicUrl(text: string): string | undefined {
  if (!URL.canParse(text) || /[?#\s\\]/.test(text)) return undefined;
  const { protocol, username, password, origin, pathname } = new URL(text);
  if (!['http:', 'https:'].includes(protocol) || username !== '' || password !== '') return undefined;
  return `${origin}${withoutEnd(pathname, '/')}`;
}
