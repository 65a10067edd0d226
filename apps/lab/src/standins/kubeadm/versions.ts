/** `v1.34.1` from `1.34.1`, `v1.34.1`; undefined for what is no version of that form. */
export function normalizedVersion(text: string): string | undefined {
  const match = /^v?(\d+\.\d+\.\d+)$/.exec(text);
  return match === null ? undefined : `v${match[1] ?? ''}`;
}

/** Labels of a release channel; release-channel.ts looks them up. */
export const isChannel = (text: string): boolean => /^(ci\/)?(stable|latest)(-\d+(\.\d+)?)?$/.test(text) || text === '';

const minor = (version: string): number => Number(version.split('.')[1] ?? '0');

/** Minor versions that a version is ahead of another; negative if behind. */
export const minorsAhead = (version: string, of: string): number => minor(version) - minor(of);
