import { readdirSync, readFileSync } from 'node:fs';

/** The processes whose command line names one of these folders, or which work below one: `pid command`. */
export function processesOf(folders: readonly string[]): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
      const environment = read(`/proc/${pid}/environ`);
      return folders.some((folder) => command.includes(folder) || environment.includes(folder)) ? [`${pid} ${command}`] : [];
    });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended since the listing.
    return '';
  }
}
