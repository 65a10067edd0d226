/** kubectl's human duration: `37s`, `5m20s`, `3h`, `2d4h`. */
export function humanDuration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${Math.floor(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(`${minutes}m`, Math.floor(seconds) % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(`${hours}h`, minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return withRest(`${days}d`, hours % 24, 'h');
  return days < 365 * 2 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

const withRest = (whole: string, rest: number, unit: string): string => (rest === 0 ? whole : `${whole}${rest}${unit}`);

export function ageOf(created: string | undefined, now: Date): string {
  return created === undefined ? '<unknown>' : humanDuration((now.getTime() - Date.parse(created)) / 1_000);
}

export const orNone = (value: string): string => (value === '' ? '<none>' : value);
