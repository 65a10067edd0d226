import { minutes, seconds, type Duration } from '@windlass/foundation';

/** The engine's times and limits. All come from configuration; the defaults are {@link defaultPolicy}. */
export interface EnginePolicy {
  /** How long a claim holds without renewal. A dead worker's step is taken over after at most this and a sweep. */
  lease: Duration;
  /** How long a ready step may stay unclaimed before it fails with "no worker for <service>". */
  dispatchWithin: Duration;
  /** How many leases of one step may end without a word before it is set aside as poison. */
  maxLosses: number;
  /** Pause before an unanswered wake-up is sent again, by how often it was sent so far. */
  wakeUpAgainAfter: (rings: number) => Duration;
  /** How many steps with this limit key may run at once over all coordinators; undefined: as many as come. */
  limitOf: (key: string) => number | undefined;
}

/** Limits by the whole key, or by its part before the first colon: `vim:<id>` is looked up as that, then as `vim`. */
export const limitsByPrefix =
  (limits: Readonly<Record<string, number>>) =>
  (key: string): number | undefined =>
    limits[key] ?? limits[key.split(':', 1)[0] ?? key];

/** What is done once for all who want it: the first does it, and the others, one after the other, find it done. No configuration changes that. */
export const ONE_PLACE: Readonly<Record<string, number>> = { image: 1 };

/** The policy where configuration says nothing else. A wake-up is repeated after 2 s, 4 s, 8 s, 16 s, and then every 30 s. */
export const defaultPolicy: EnginePolicy = {
  lease: seconds(10),
  dispatchWithin: minutes(10),
  maxLosses: 5,
  wakeUpAgainAfter: (rings) => seconds(Math.min(30, 2 ** Math.min(rings, 5))),
  limitOf: limitsByPrefix({ vim: 50, host: 1, ...ONE_PLACE }),
};
