import { startNats, type RunningNats } from '@windlass/embedded';
import { testFolder } from '@windlass/embedded/testing';
import { millis, seconds, Secret, waitUntil } from '@windlass/foundation';
import { join } from 'node:path';
import { DurableReconciler, type ReconcilerOptions } from '../jetstream/durable-reconciler.js';
import { StreamPublisher } from '../jetstream/stream-publisher.js';
import { eventStream, stepStream } from '../jetstream/streams.js';
import { connectNats, type MessagingLog, type NatsLink } from '../link/nats-link.js';

/** A log that tests can read. */
export class MemoryLog implements MessagingLog {
  readonly lines: { level: string; message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  info(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }
  warn(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }
  error(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }
  of(level: string): string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }
}

/** A NATS server that a test may kill, wipe and start again on the same port, and the links to it. */
export class NatsBench {
  readonly log = new MemoryLog();
  readonly #folder = testFolder();
  readonly #links: NatsLink[] = [];
  readonly #keepers: DurableReconciler[] = [];
  #server: RunningNats | undefined;

  get dataDir(): string {
    return join(this.#folder.path, 'nats');
  }

  get server(): RunningNats {
    if (this.#server === undefined) throw new Error('the server is not started');
    return this.#server;
  }

  async start(): Promise<void> {
    this.#server = await startNats({ dataDir: this.dataDir, log: () => undefined });
  }

  /** As a fresh replica of a service would. */
  async link(name = 'test'): Promise<NatsLink> {
    const { url, admin } = this.server;
    const options = { url, user: admin.user, password: new Secret(admin.password), name, log: this.log, within: seconds(10) };
    const link = await connectNats(options);
    this.#links.push(link);
    return link;
  }

  /** What a coordinator does for the wake-ups of these services. */
  async reconciler(services: readonly string[], options: Partial<ReconcilerOptions> = {}): Promise<DurableReconciler> {
    const link = await this.link('coordinator');
    const publisher = new StreamPublisher(link, [stepStream, eventStream], this.log);
    const ensureStreams = () => publisher.ensure();
    const asked = { link, log: this.log, services: () => Promise.resolve(services), own: 'saga-coordinator', ensureStreams };
    const reconciler = new DurableReconciler({ ...asked, ...options }).start();
    this.#keepers.push(reconciler);
    return reconciler;
  }

  async close(): Promise<void> {
    await Promise.all(this.#keepers.splice(0).map((reconciler) => reconciler.stop()));
    await Promise.all(this.#links.splice(0).map((link) => link.close()));
    await this.#server?.stop();
    this.#folder.remove();
  }
}

/** Waits, briefly, until something is true. */
export const eventually = async (what: string, look: () => boolean | Promise<boolean>, within = seconds(15)): Promise<void> => {
  await waitUntil(async () => ((await look()) ? true : undefined), { for: what, within, every: millis(10) });
};

/** A promise that somebody else resolves. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
