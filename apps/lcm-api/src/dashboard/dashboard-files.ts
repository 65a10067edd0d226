import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RequestError } from '@windlass/foundation';

/** Beside this app, in a checkout as in the image. Nothing of it is imported; where the dashboard was not built, the answer is 404. */
const BUILT = join(import.meta.dirname, '../../../dashboard/dist/ui');

/** What the page is begun with: names of files. */
export interface DashboardEntry {
  script: string;
  styles: string;
}

/** A file that is served. */
export interface DashboardFile {
  path: string;
  type: string;
  /** The same by gzip; absent in builds of older releases. */
  packed?: string;
}

const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };

/** What the build of the dashboard wrote (`apps/dashboard/build.mjs`). */
interface Manifest extends DashboardEntry {
  files: readonly string[];
}

/** The files that the build of the dashboard made. Only files that its manifest names are served. */
export class DashboardFiles {
  /** @param folder where they lie */
  constructor(private readonly folder = BUILT) {}

  /** @throws RequestError 404 `dashboard.not-built` */
  async entry(): Promise<DashboardEntry> {
    return this.#read();
  }

  /** Undefined for a name that is not in the manifest. @throws RequestError 404 `dashboard.not-built` */
  async find(name: string): Promise<DashboardFile | undefined> {
    const { files } = await this.#read();
    const type = TYPES[name.split('.').at(-1) ?? ''];
    if (type === undefined || !files.includes(name)) return undefined;
    const path = join(this.folder, name);
    return { path, type, ...(files.includes(`${name}.gz`) ? { packed: `${path}.gz` } : {}) };
  }

  /** Reads the manifest at each request, because a build may replace it while this runs. */
  async #read(): Promise<Manifest> {
    try {
      return JSON.parse(await readFile(join(this.folder, 'manifest.json'), 'utf8')) as Manifest;
    } catch (cause) {
      throw notBuilt(cause);
    }
  }
}

const notBuilt = (cause: unknown): RequestError =>
  new RequestError(
    404,
    'dashboard.not-built',
    'the dashboard is not built here: ./windlass builds it, or node apps/dashboard/build.mjs',
    {
      cause,
    },
  );
