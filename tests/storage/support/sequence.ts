/** The part of a step in the API that tells its order. */
export interface OrderedStep {
  action: string;
  service: string;
  startedAt: string | null;
  endedAt: string | null;
}

/**
 * The deviations of an operation's steps from a document's sequence: each group begins when all groups before it have ended; within a
 * group the order is free.
 */
export function outOfSequence(steps: readonly OrderedStep[], sequence: readonly (readonly string[])[]): string[] {
  const wrong: string[] = [];
  let before: { action: string; at: number } | undefined;
  for (const group of sequence) {
    const found = steps.filter(({ action }) => group.includes(action));
    const names = found.map(({ action }) => action).sort();
    if (names.join() !== [...group].sort().join()) wrong.push(`found ${names.join(', ')}, and ${group.join(', ')} was expected`);
    for (const { action, startedAt } of found)
      if (before !== undefined && Date.parse(startedAt ?? '') < before.at)
        wrong.push(`${action} began before ${before.action} had ended`);
    for (const { action, endedAt } of found) {
      const at = endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(endedAt);
      if (before === undefined || at > before.at) before = { action, at };
    }
  }
  return wrong;
}
