import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyState, type CloudState, type ResourceAction } from './state.js';

const FILE = 'openstack.json';
/** Changes are written together, at most so often. */
const EVERY_MS = 250;

/** Keeps the state in one file of the data folder, written whole and renamed into place. Without a folder nothing is kept. */
export class Store {
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  constructor(
    private readonly state: CloudState,
    private readonly dataDir: string | undefined,
  ) {}

  /** The state as it was kept; empty where there is none. */
  static async read(dataDir: string | undefined): Promise<CloudState> {
    const state = emptyState();
    if (dataDir === undefined) return state;
    let text: string;
    try {
      text = await readFile(join(dataDir, FILE), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return state;
      throw error;
    }
    const kept = JSON.parse(text) as Record<string, [string, unknown][]>;
    for (const [name, map] of Object.entries(state)) {
      for (const [id, entry] of kept[name] ?? []) (map as Map<string, unknown>).set(id, entry);
    }
    interrupt(state);
    return state;
  }

  /** Something changed: it is written soon. */
  changed(): void {
    if (this.dataDir === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writing
        .then(() => this.write())
        .catch((error: unknown) => {
          this.#failure = error instanceof Error ? error : new Error(String(error));
        });
    }, EVERY_MS);
    this.#timer.unref();
  }

  /** Writes what is not written yet. @throws what an earlier write failed with. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    await this.write();
    if (this.#failure !== undefined) throw this.#failure;
  }

  private async write(): Promise<void> {
    if (this.dataDir === undefined) return;
    const kept = Object.fromEntries(Object.entries(this.state).map(([name, map]) => [name, [...(map as Map<string, unknown>)]]));
    await mkdir(this.dataDir, { recursive: true, mode: 0o700 });
    const path = join(this.dataDir, FILE);
    await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 });
    await rename(`${path}.new`, path);
    this.#failure = undefined;
  }
}

/** Work that was under way when the lab ended has failed, in the words of Heat. */
function interrupt(state: CloudState): void {
  for (const stack of state.stacks.values()) {
    for (const resource of [...stack.resources, ...stack.superseded]) {
      if (resource.status === 'IN_PROGRESS')
        Object.assign(resource, { status: 'FAILED', reason: wentDown('resource', resource.action) });
    }
    if (stack.status === 'IN_PROGRESS') Object.assign(stack, { status: 'FAILED', reason: wentDown('stack', stack.action) });
  }
}

const wentDown = (what: string, action: ResourceAction): string => `Engine went down during ${what} ${action}`;
