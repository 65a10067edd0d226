import {
  InvariantError,
  millis,
  RequestError,
  TerminalError,
  TransientError,
  WindlassError,
  type Remedy,
} from '@windlass/foundation';
import { storableText } from '../plan/storable-text.js';
import { causeOf, NothingDone } from './nothing-done.js';

/** An error as it stands in the journal: what kind of order it is to the engine, and what a person reads. */
export interface ErrorReport {
  /** `transient` is retried by the step's policy; the others wait for a person. */
  kind: 'transient' | 'terminal' | 'invariant' | 'request' | 'cancelled';
  code: string;
  title?: string;
  detail: string;
  status: number;
  /** The step it comes from. */
  stepId?: string;
  /** Milliseconds after which a new attempt makes sense, if the other side said so. */
  retryAfter?: number;
  /** How many attempts the action's policy allows, where an attempt has failed. */
  attemptsAllowed?: number;
  /** Neither this attempt nor any before it has changed anything outside: there is nothing to undo. */
  nothingDone?: true;
  /** What a person does first, where the thrower knows: `detail` ends with its words. */
  remedy?: Remedy;
}

/** The report as it can be kept: what a broken script printed last may hold anything. */
export const storable = (report: ErrorReport): ErrorReport => ({
  ...report,
  detail: storableText(report.detail),
  ...(report.title === undefined ? {} : { title: storableText(report.title) }),
  ...(report.remedy === undefined ? {} : { remedy: remedyThrough(report.remedy, storableText) }),
});

/** The remedy with each of its texts put through `through`. */
export const remedyThrough = ({ says, leadsOn, when }: Remedy, through: (text: string) => string): Remedy => ({
  says: through(says),
  leadsOn,
  ...(when === undefined ? {} : { when: through(when) }),
});

/** The report of a caught error; what nobody recognised is an invariant's. */
export function reportError(thrown: unknown): ErrorReport {
  const error = causeOf(thrown);
  const known =
    error instanceof WindlassError
      ? error
      : new InvariantError(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  return {
    kind: kindOf(known),
    code: known.code,
    ...(known.title === undefined ? {} : { title: known.title }),
    detail: known.message,
    status: known.status,
    ...(known instanceof TransientError && known.retryAfter !== undefined ? { retryAfter: known.retryAfter } : {}),
    ...(thrown instanceof NothingDone ? { nothingDone: true } : {}),
    ...(known.remedy === undefined ? {} : { remedy: known.remedy }),
  };
}

/** The report of a step that was told to end, with what its worker says of that. */
export const cancelledReport = ({ confirmed, detail }: { confirmed: boolean; detail: string }): ErrorReport => ({
  kind: 'cancelled',
  code: confirmed ? 'step.cancelled' : 'step.not-confirmed-stopped',
  detail,
  status: 409,
});

function kindOf(error: WindlassError): ErrorReport['kind'] {
  if (error instanceof TransientError) return 'transient';
  if (error instanceof RequestError) return 'request';
  return error instanceof TerminalError ? 'terminal' : 'invariant';
}

/** The error that a report speaks of, to be thrown again on the other side of a message. */
export function errorOf(report: ErrorReport): WindlassError {
  const details = {
    status: report.status,
    ...(report.title === undefined ? {} : { title: report.title }),
    ...(report.remedy === undefined ? {} : { remedy: report.remedy }),
  };
  if (report.kind === 'transient') {
    return new TransientError(report.code, report.detail, {
      ...details,
      ...(report.retryAfter === undefined ? {} : { retryAfter: millis(report.retryAfter) }),
    });
  }
  if (report.kind === 'invariant') return new InvariantError(report.detail, details);
  return new TerminalError(report.code, report.detail, details);
}
