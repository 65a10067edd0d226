import { describe, expect, it } from 'vitest';
import type { CrashPoints, DriverBench } from './bench.js';
import { Crash } from './plan-runner.js';

/** The world in which a plan runs, and what each step leaves there. */
export interface UndoSuite<Bench extends DriverBench> {
  /** A fresh world with the plan to run in it; its hosts and its runner are given the points. */
  bench: (points: CrashPoints) => Bench;
  /** What a step has left, by the step's id: nothing (undefined) after its undo. Each action that can be undone has a step here. */
  left: Readonly<Record<string, (bench: Bench) => unknown>>;
}

/**
 * Undoes each step after its worker died at each of its points, before it began, and after it was done; and once more, since an undo may be
 * asked for again. Each time nothing of the step may be left.
 */
export function undoSuite<Bench extends DriverBench>(title: string, { bench, left }: UndoSuite<Bench>): void {
  /** Runs everything before a step, and then the step until its worker dies at the nth point. */
  async function halfDone(id: string, n: number) {
    let passed = Number.NEGATIVE_INFINITY;
    let died = false;
    const atPoint = (point: string, of: string): void => {
      died ||= passed === n;
      if (passed++ === n) throw new Crash(`${point} of ${of}`);
    };
    const made = bench({ atPoint });
    for (const step of made.runner.steps) {
      if (step.id === id) break;
      await made.runner.performOnce(step.id);
    }
    passed = 0;
    await made.runner.performOnce(id).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    passed = Number.NEGATIVE_INFINITY;
    return { made, died };
  }

  const undo = ({ runner }: DriverBench, id: string, epoch: number) =>
    runner.action(id).undo?.(runner.runOf(id, { phase: 'undo', epoch, attemptEpoch: epoch }));

  describe(`${title} that is undone`, () => {
    it('has a step in the table for each action that can be', () => {
      const { runner } = bench({});
      const actionOf = (id: string): string => runner.action(id).key;
      const undoable = runner.steps.filter(({ id }) => runner.action(id).undo !== undefined).map(({ id }) => actionOf(id));
      expect([...new Set(Object.keys(left).map(actionOf))].sort()).toEqual([...new Set(undoable)].sort());
    });

    it.each(Object.entries(left))('leaves something of %s when it is done, for the undo to take away', async (id, remains) => {
      const { made } = await halfDone(id, Number.POSITIVE_INFINITY);
      expect(remains(made)).toBeDefined();
    });

    it.each(Object.entries(left))('leaves nothing of %s, wherever its worker died', async (id, remains) => {
      let died = true;
      for (let n = 0; died; n += 1) {
        const half = await halfDone(id, n);
        ({ died } = half);
        await undo(half.made, id, 2);
        expect(remains(half.made), `it died at point ${n}`).toBeUndefined();
        // An undo may be asked for again.
        await undo(half.made, id, 3);
        expect(remains(half.made), `it died at point ${n}, and was undone twice`).toBeUndefined();
      }
    });
  });
}
