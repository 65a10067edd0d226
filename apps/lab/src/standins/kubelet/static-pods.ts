import { watch, type FSWatcher } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { contentHash } from '../controllers/template-hash.js';
import { namesIn, readIfThere, writeWhole } from '../host/files.js';
import { startService, stopService } from '../host/systemd.js';
import type { Pod } from '../kube/kinds.js';
import { asObject, listAt, stringAt } from '../kube/object.js';

/** Where the kubelet notes which static pods run as services, and with which content. */
export const STATIC_STATE = '/run/windlass-lab/static-pods';

/** Services of static pods are named so. */
export const unitOf = (podName: string): string => `windlass-lab-pod-${podName}.service`;

export interface StaticPod {
  /** As in the manifest, without the node's name. */
  name: string;
  hash: string;
  pod: Pod;
  unit: string;
}

/** How often the folder is read even if nothing was reported: `fileCheckFrequency`. */
const RESCAN_MS = 20_000;

/**
 * Static pods: each manifest in the folder runs as a systemd service of the stand-in's program for its image.
 * The services outlive the kubelet, as containers do.
 */
export class StaticPods {
  #pods: StaticPod[] = [];
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #scan = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly programOf: (image: string) => readonly string[] | undefined,
    private readonly onChange: () => void,
    private readonly log: (line: string) => void,
  ) {}

  get all(): readonly StaticPod[] {
    return this.#pods;
  }

  async start(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    let pending: NodeJS.Timeout | undefined;
    this.#watcher = watch(this.folder, () => {
      // A file is written in several steps: look when they are over.
      clearTimeout(pending);
      pending = setTimeout(() => this.#rescan(), 50);
    });
    this.#timer = setInterval(() => this.#rescan(), RESCAN_MS);
    this.#rescan();
    await this.#scan;
  }

  stop(): void {
    this.#watcher?.close();
    clearInterval(this.#timer);
  }

  #rescan(): void {
    this.#scan = this.#scan
      .then(() => this.#sync())
      .catch((error: unknown) => this.log(`static pods: ${error instanceof Error ? error.message : String(error)}`));
  }

  async #sync(): Promise<void> {
    const found = await this.#read();
    const before = this.#pods.map(({ hash }) => hash).join();
    this.#pods = found;
    for (const note of await namesIn(STATIC_STATE)) {
      if (!found.some(({ name }) => name === note)) await this.#end(note);
    }
    for (const pod of found) await this.#ensure(pod);
    if (before !== found.map(({ hash }) => hash).join()) this.onChange();
  }

  async #read(): Promise<StaticPod[]> {
    const found: StaticPod[] = [];
    for (const file of await namesIn(this.folder)) {
      if (file.startsWith('.') || !/\.(ya?ml|json)$/.test(file)) continue;
      const text = await readIfThere(`${this.folder}/${file}`);
      const pod = text === undefined ? undefined : await parsePod(text);
      if (pod === undefined) this.log(`could not process manifest file ${this.folder}/${file}: not a Pod`);
      else found.push({ name: pod.metadata.name, hash: contentHash(pod), pod, unit: unitOf(pod.metadata.name) });
    }
    return found;
  }

  async #ensure({ name, hash, pod, unit }: StaticPod): Promise<void> {
    const note = `${STATIC_STATE}/${name}`;
    const running = await readIfThere(note);
    if (running === hash) return;
    if (running !== undefined) await this.#end(name);
    const [container] = pod.spec.containers;
    const program = this.programOf(container?.image ?? '');
    if (container === undefined || program === undefined) {
      this.log(`static pod ${name}: the windlass-lab stand-in has no program for image "${container?.image ?? ''}"`);
      return;
    }
    const args = [...(container.command ?? []).slice(1), ...(container.args ?? [])];
    await stopService(unit);
    await startService(unit, `static pod ${name} (windlass-lab stand-in)`, [...program, ...args]);
    await writeWhole(note, hash);
    this.log(`static pod ${name} started as ${unit}`);
  }

  async #end(name: string): Promise<void> {
    await stopService(unitOf(name));
    await rm(`${STATIC_STATE}/${name}`, { force: true });
    this.log(`static pod ${name} ended`);
  }
}

async function parsePod(text: string): Promise<Pod | undefined> {
  const { parse } = await import('yaml');
  let document: unknown;
  try {
    document = parse(text);
  } catch {
    // Half-written or broken: reported by the caller, read again at the next change.
    return undefined;
  }
  if (!isJsonObject(document) || document.kind !== 'Pod' || document.apiVersion !== 'v1') return undefined;
  return isComplete(document) ? (asObject(document) as Pod) : undefined;
}

const isComplete = (pod: JsonObject): boolean =>
  stringAt(pod, 'metadata', 'name') !== undefined && listAt(pod, 'spec', 'containers').length > 0;
