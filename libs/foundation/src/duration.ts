/** A length of time in milliseconds. Made by {@link seconds} and its siblings, so that a bare number is never taken for one. */
export type Duration = number & { readonly __duration: 'ms' };

export const millis = (n: number): Duration => n as Duration;
export const seconds = (n: number): Duration => (n * 1_000) as Duration;
export const minutes = (n: number): Duration => (n * 60_000) as Duration;
export const hours = (n: number): Duration => (n * 3_600_000) as Duration;
export const days = (n: number): Duration => (n * 86_400_000) as Duration;

/** A human reading of a duration: `850 ms`, `12.3 s`, `4 min 5 s`. */
export function describeDuration(duration: Duration): string {
  if (duration < 1_000) return `${Math.round(duration)} ms`;
  if (duration < 60_000) return `${(duration / 1_000).toFixed(1)} s`;
  const whole = Math.round(duration / 1_000);
  return whole % 60 === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
