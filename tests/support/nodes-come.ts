import { expect } from 'vitest';

/** A real cluster calls a node NotReady 50 s after the kubelet's last report, and Ready again at the next report. */
const COME = { timeout: 120_000, interval: 500 };

const namesIn = (rows: readonly string[]): string[] => rows.map((row) => row.split(' ')[0] ?? '');

/**
 * Waits until a cluster's nodes are the wanted rows, each of which begins with a node's name. The names must be right at the first answer.
 * The states are waited for: when a machine pauses, a Ready node is NotReady for a moment.
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
