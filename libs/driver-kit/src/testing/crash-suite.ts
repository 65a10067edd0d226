import { describe, expect, it } from 'vitest';
import type { CrashPoints, DriverBench } from './bench.js';
import { Crash } from './plan-runner.js';

/** The world in which a plan runs, and what the world should be in the end. */
export interface CrashSuite<Bench extends DriverBench> {
  /** A fresh world with the plan to run in it; its hosts and its runner are given the points. */
  bench: (points: CrashPoints) => Bench;
  /** Compares the world after the plan with what it should be, wherever the worker died. */
  stands: (bench: Bench) => void;
}

/**
 * Runs a plan once for each point at which a worker may die, in each step and in each of its jobs; another worker takes the step over. Each run
 * must end with the outputs of an undisturbed one, and no job may be started twice on a machine.
 */
export function crashSuite<Bench extends DriverBench>(title: string, { bench, stands }: CrashSuite<Bench>): void {
  /** A world whose worker dies at the nth point. */
  const dyingAt = (n: number) => {
    const passed: string[] = [];
    const atPoint = (point: string, of: string): void => {
      passed.push(`${point} of ${of}`);
      if (passed.length === n + 1) throw new Crash(`${point} of ${of}`);
    };
    return { made: bench({ atPoint }), passed };
  };

  describe(`${title} whose worker dies`, async () => {
    const { made: undisturbed, passed: points } = dyingAt(Number.POSITIVE_INFINITY);
    await undisturbed.runner.run();

    it('has points to die at in every step', () => {
      const steps = undisturbed.runner.steps.map(({ id }) => `after-apply of ${id}`);
      expect(points).toEqual(expect.arrayContaining(steps));
      stands(undisturbed);
    });

    it.each(points.map((point, n) => [n, point] as const))('ends well all the same when it dies at point %i, %s', async (n) => {
      const { made } = dyingAt(n);
      await made.runner.run();
      stands(made);
      expect(Object.fromEntries(made.runner.outputs)).toEqual(Object.fromEntries(undisturbed.runner.outputs));
      expect(made.hosts.doubled()).toEqual([]);
      const started = made.hosts.processes.map(({ resourceId, stepId, job }) => `${resourceId} ${stepId} ${job}`);
      expect(started, 'a job was started twice on a machine').toEqual([...new Set(started)]);
    });
  });
}
