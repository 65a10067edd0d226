import { TerminalError } from '@windlass/foundation';
import { Crash } from '@windlass/saga/testing';
import { withoutVnfcId } from './blank.js';

/** A process of the simulation: what it does after its death does not happen. */
export class Crashable {
  alive = true;

  constructor(readonly name: string) {}
}

/** What happens at the point that is chosen: the process dies there, or the step's work fails there for good. */
export type Strike = 'crash' | 'failure';

/** Counts the points that a run passes, and strikes at one of them. */
export class CrashPoints {
  /** Every point passed, in order: `before-apply of create-stack`. */
  readonly passed: string[] = [];
  /** Whether the chosen point was reached. */
  struck: string | undefined;

  /** @param at the point's number, from 0, or its name; undefined: nothing happens */
  constructor(
    readonly at: number | string | undefined,
    readonly strike: Strike = 'crash',
  ) {}

  /** @throws Crash when the process dies here, or is dead already; TerminalError when its work fails here */
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
