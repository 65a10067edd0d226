/** How a service's process ends. A supervisor starts it again after 1, and after a signal; after 78 that would not help. */
export const EXIT = {
  /** Stopped in order. */
  ok: 0,
  /** Something failed that may pass. */
  failed: 1,
  /** The configuration is wrong (sysexits.h, EX_CONFIG). */
  misconfigured: 78,
} as const;
