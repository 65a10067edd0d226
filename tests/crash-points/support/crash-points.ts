import { TerminalError } from '@windlass/foundation';
import { Crash } from '@windlass/saga/testing';
import { withoutVnfcId } from './blanked.js';

/** A process of the simulation, which has no effect after its death. */
export class Crashable {
  alive = true;

  constructor(readonly name: string) {}
}

/** The strike at the chosen point: the process dies, or the step's work fails for good. */
export type Strike = 'crash' | 'failure';

/** Counts the points of a run, and strikes at one of them. */
export class CrashPoints {
  /** The passed points, in order: `before-apply of create-stack`. */
  readonly passed: string[] = [];
  /** The chosen point, once it was reached. */
  struck: string | undefined;

  /** @param at the chosen point's number, from 0, or its name; undefined: no strike */
  constructor(
    readonly at: number | string | undefined,
    readonly strike: Strike = 'crash',
  ) {}

  /** Passes a point. @throws Crash when the process dies here, or is dead already; TerminalError when its work fails here */
  reached(at: string, crashable: Crashable): void {
    const point = withoutVnfcId(at);
    if (!crashable.alive) throw new Crash(`${crashable.name} is dead`);
    const number = this.passed.push(point) - 1;
    if (this.struck !== undefined || (number !== this.at && point !== this.at)) return;
    this.struck = point;
    if (this.strike === 'failure') throw new TerminalError('test.struck', `failed on purpose ${point}`);
    crashable.alive = false;
    throw new Crash(`${crashable.name} dies ${point}`);
  }
}
