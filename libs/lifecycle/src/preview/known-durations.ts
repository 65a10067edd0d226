/** How long an action took, the last times that it was done here. */
export interface KnownDuration {
  /** The median. */
  seconds: number;
  /** How many times it is the median of. 0: nothing was measured, the request says how long it waits. */
  basedOn: number;
}

/** Durations of actions, by service and name. */
export interface KnownDurations {
  of(step: { service: string; action: string }): KnownDuration | undefined;
}
