/** Names in an order in which each comes after all that it requires. @throws Error naming a circle. */
export function ordered(requires: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name)) return;
    if (open.has(name)) throw new CircularDependency([...open, name]);
    open.add(name);
    for (const needed of requires.get(name) ?? []) if (requires.has(needed)) visit(needed);
    open.delete(name);
    done.add(name);
  };
  for (const name of requires.keys()) visit(name);
  return [...done];
}

export class CircularDependency extends Error {
  constructor(names: string[]) {
    super(`Circular Dependency Found: {${names.join(', ')}}`);
    this.name = 'CircularDependency';
  }
}

/**
 * Visits every node once all that it requires have been visited with success; independent ones side by side. A node whose
 * requirement failed is not visited.
 * @returns the names that were visited with success.
 */
export async function walkGraph(
  requires: ReadonlyMap<string, readonly string[]>,
  visit: (name: string) => Promise<boolean>,
): Promise<Set<string>> {
  const visits = new Map<string, Promise<boolean>>();
  for (const name of ordered(requires)) {
    const needed = (requires.get(name) ?? []).flatMap((one) => visits.get(one) ?? []);
    visits.set(
      name,
      Promise.all(needed).then((all) => (all.every(Boolean) ? visit(name) : false)),
    );
  }
  const succeeded = new Set<string>();
  for (const [name, outcome] of visits) if (await outcome) succeeded.add(name);
  return succeeded;
}

/** The same graph with every arrow turned round: for deletion. */
export function reversed(requires: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const turned = new Map<string, string[]>([...requires.keys()].map((name) => [name, []]));
  for (const [name, needed] of requires) for (const one of needed) turned.get(one)?.push(name);
  return turned;
}
