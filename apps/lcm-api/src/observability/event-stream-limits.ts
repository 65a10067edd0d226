import { RequestError, hours, millis, minutes, seconds, type Duration } from '@windlass/foundation';

/** What live views may cost. */
export interface EventStreamPolicy {
  /** Streams of this replica at once. */
  streams: number;
  /** Of them for one project. */
  streamsPerProject: number;
  /** A stream ends after this time. Its client connects again, and shows its token again. */
  lifetime: Duration;
  heartbeat: Duration;
  /** How long a client may read nothing. */
  patience: Duration;
  /** How long a stream waits without a wake-up before it reads the record. A step's progress sends no wake-up. */
  poll: Duration;
  /** The least pause between two looks of one stream, however often it is woken. */
  pause: Duration;
}

export const defaultEventStreams: EventStreamPolicy = {
  streams: 200,
  streamsPerProject: 100,
  lifetime: hours(1),
  heartbeat: seconds(15),
  patience: minutes(1),
  poll: seconds(1),
  pause: millis(200),
};

/** How many streams of a replica may read at once, so that views never take all of the API's connections. */
export const LOOKS_AT_ONCE = 2;

/** Counts the streams that are open. */
export class StreamPlaces {
  readonly #byProject = new Map<string, number>();
  #open = 0;

  constructor(private readonly policy: Pick<EventStreamPolicy, 'streams' | 'streamsPerProject'>) {}

  /** Takes a place; call what is returned to give it back. @throws RequestError 429 and 503 where there is none */
  take(tenant: string): () => void {
    const ofProject = this.#byProject.get(tenant) ?? 0;
    if (ofProject >= this.policy.streamsPerProject)
      throw new RequestError(
        429,
        'events.too-many',
        `the project has ${ofProject} event streams open here, which is as many as it may have: close one`,
      );
    if (this.#open >= this.policy.streams)
      throw new RequestError(
        503,
        'events.full',
        `${this.#open} event streams are open here, which is as many as may be: try again`,
      );
    this.#open++;
    this.#byProject.set(tenant, ofProject + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#open--;
      const left = (this.#byProject.get(tenant) ?? 1) - 1;
      if (left === 0) this.#byProject.delete(tenant);
      else this.#byProject.set(tenant, left);
    };
  }
}

/** Lets so many in at once; the others wait for their turn. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
