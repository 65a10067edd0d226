import { expect } from 'vitest';

/** A real cluster calls a node NotReady 50 s after its last word, and Ready again at the next one. */
const COME = { timeout: 120_000, interval: 500 };

const namesIn = (rows: readonly string[]): string[] => rows.map((row) => row.split(' ')[0] ?? '');

/**
 * Waits until a cluster's nodes are these, rows that begin with a node's name. Which nodes there are must be right at the first answer;
 * their state is waited for: where a machine pauses, a node that was Ready is NotReady for a moment.
 */
export async function nodesCome(look: () => Promise<string[]>, wanted: readonly string[]): Promise<void> {
  let first: string[] | undefined;
  const rows = async (): Promise<string[]> => {
    const found = await look();
    first ??= found;
    return found;
  };
  await expect.poll(rows, COME).toEqual(wanted);
  expect(namesIn(first ?? []), 'nodes at the first look').toEqual(namesIn(wanted));
}
