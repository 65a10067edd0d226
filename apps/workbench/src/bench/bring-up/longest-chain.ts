/** A step as its row has it. */
export interface ChainedStep {
  id: string;
  /** Ids of the steps that it waits for. */
  deps: readonly string[];
  /** What it takes by itself, in milliseconds. */
  takes: number;
}

/** What the longest chain of steps takes, each of which waits for the one before: no engine can be quicker. */
export function longestChain(steps: readonly ChainedStep[]): number {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const known = new Map<string, number>();
  const endOf = (id: string): number => {
    const step = byId.get(id);
    if (step === undefined) return 0;
    const before = known.get(id);
    if (before !== undefined) return before;
    const end = step.takes + Math.max(0, ...step.deps.map(endOf));
    known.set(id, end);
    return end;
  };
  return Math.max(0, ...steps.map(({ id }) => endOf(id)));
}
