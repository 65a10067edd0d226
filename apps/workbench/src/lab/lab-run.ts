import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileLock, reclaimLab } from '@windlass/lab';
import { startTimeOf } from '@windlass/windlass';

/** Who has a lab on this machine. */
interface NotedRun {
  /** The data folder, without links. */
  dataDir: string;
  /** The folder was made for this run alone, and goes with it. */
  temporary: boolean;
  pid: number;
  /** Start time of that process in clock ticks since boot: a pid alone may be another one's by now. */
  startedAt: string;
}

/** Where a lab keeps its things, below the data folder of a run. */
export const labFolder = (dataDir: string): string => join(dataDir, 'lab');

/** A lab that has been begun, noted where the next one looks: if this process dies without ending it, that one removes what it left. */
export class LabRun {
  private constructor(
    readonly dataDir: string,
    private readonly file: string,
  ) {}

  /**
   * Notes a run before anything of it is there.
   * @param cache the folder that is kept between runs
   * @param dataDir without links
   */
  static async begin(cache: string, dataDir: string, temporary: boolean): Promise<LabRun> {
    const folder = notesIn(cache);
    await mkdir(folder, { recursive: true });
    const file = join(folder, `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.json`);
    const note: NotedRun = { dataDir, temporary, pid: process.pid, startedAt: startTimeOf(process.pid) ?? '' };
    await writeFile(`${file}.${process.pid}`, JSON.stringify(note));
    await rename(`${file}.${process.pid}`, file);
    return new LabRun(dataDir, file);
  }

  /** Nothing is left of it. */
  async end(): Promise<void> {
    await rm(this.file, { force: true });
  }
}

/**
 * Removes what runs left whose process has died: bridge, machines, namespaces, and the folder if it was theirs alone. Says what it found. Of
 * several that are called at once, one removes a run and says so, and the others wait until it is gone.
 */
export async function reclaimRuns(cache: string, say: (line: string) => void): Promise<void> {
  const folder = notesIn(cache);
  await mkdir(folder, { recursive: true });
  const lock = await FileLock.waitFor(join(folder, 'lock'));
  try {
    for (const name of (await readdir(folder)).filter((one) => one.endsWith('.json'))) await reclaimRun(join(folder, name), say);
  } finally {
    await lock.release();
  }
}

/** With the lock of the notes. */
async function reclaimRun(file: string, say: (line: string) => void): Promise<void> {
  const noted = await readNote(file);
  if (noted === undefined || isAlive(noted)) return;
  // A run that ends in order removes its note before its process goes: what is there now was left.
  const note = await readNote(file);
  if (note === undefined || isAlive(note)) return;
  const found = await reclaimLab(labFolder(note.dataDir));
  if (found === undefined) return; // another lab has the folder by now, and cleans up itself
  const all = [...found, ...(note.temporary && existsSync(note.dataDir) ? [`the folder ${note.dataDir}`] : [])];
  if (note.temporary) await rm(note.dataDir, { recursive: true, force: true });
  if (all.length > 0) say(`removed what process ${note.pid} left when it died: ${all.join(', ')}`);
  await rm(file, { force: true });
}

const isAlive = ({ pid, startedAt }: NotedRun): boolean => startTimeOf(pid) === startedAt;

const notesIn = (cache: string): string => join(cache, 'lab-runs');

/** Undefined when it was removed meanwhile, by the run itself. */
async function readNote(file: string): Promise<NotedRun | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as NotedRun;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
