import { waitText } from '@windlass/foundation/wait-text';
import type { StepView } from '../client/api-client.js';

/** What the tree is drawn for. */
export interface Canvas {
  /** Columns; lines are cut there. */
  width: number;
  /** Lines at most; what is done is folded first, then what still waits. */
  height: number;
  /** Milliseconds since the epoch, for what has not ended yet. */
  now: number;
  colour: boolean;
}

/** What an operation's first line says. */
export interface OperationHead {
  id: string;
  operation: string;
  operationState: string;
  startTime: string;
  /** When it came into its state. */
  stateEnteredTime?: string;
  isCancelPending?: boolean;
  error?: { detail?: string };
}

type Paint = (text: string) => string;
const sgr =
  (code: number): Paint =>
  (text) =>
    `\u001b[${code}m${text}\u001b[39m\u001b[22m`;
const [red, green, yellow, cyan, grey] = [31, 32, 33, 36, 90].map(sgr) as [Paint, Paint, Paint, Paint, Paint];

/** The operation and its steps as lines of text, each no longer than the canvas is wide. Pure: the same in, the same out. */
export function drawOperation(head: OperationHead, steps: readonly StepView[], canvas: Canvas): string[] {
  return [headLine(head, steps, canvas), ...rows(steps, canvas), ...footLines(head, canvas)];
}

interface Row {
  step: StepView;
  /** Those below it, at any depth. */
  below: StepView[];
}

function rows(steps: readonly StepView[], canvas: Canvas): string[] {
  const room = Math.max(3, canvas.height - 3);
  const all = steps.map((step): Row => ({ step, below: [] }));
  if (all.length <= room) return draw(all, canvas);
  const folded = fold(steps);
  if (folded.length <= room) return draw(folded, canvas);
  const important = folded.filter(({ step }) => isImportant(step));
  const others = folded.filter((row) => !important.includes(row));
  const chosen = new Set([...important, ...others].slice(0, room - 1));
  const shown = folded.filter((row) => chosen.has(row));
  const hidden = folded.length - shown.length;
  return [...draw(shown, canvas), fit(`  … ${hidden} more`, canvas, grey)];
}

/** What happens now or went wrong, and what that stands below. */
const isImportant = ({ state, error }: StepView): boolean =>
  ['running', 'expanded', 'failed', 'ready'].includes(state) || error !== null;

/** A plan of which every step is done stands as its hook alone. */
function fold(steps: readonly StepView[]): Row[] {
  const folded: Row[] = [];
  for (const step of steps) {
    const above = folded.at(-1);
    if (above !== undefined && step.depth > above.step.depth && above.step.state === 'done') above.below.push(step);
    else folded.push({ step, below: [] });
  }
  return folded;
}

const draw = (all: readonly Row[], canvas: Canvas): string[] => all.map((row) => rowLine(row, canvas));

function rowLine({ step, below }: Row, canvas: Canvas): string {
  const { mark, paint } = markOf(step);
  const indent = '  '.repeat(step.depth + 1);
  const verb = step.phase === 'undo' ? 'undo ' : '';
  const target = step.target === null || step.target === '' ? '' : ` ${step.target}`;
  const name = step.action === 'ask-driver' ? `${step.id}: plan of${target}` : `${step.action}${target}`;
  const facts = [timeOf(step, canvas.now), attemptOf(step), below.length === 0 ? '' : `${below.length} steps`, moreOf(step)];
  return fit([`${indent}${mark} ${verb}${name}`, ...facts.filter((text) => text !== '')].join('  '), canvas, paint);
}

function markOf({ state, phase, error }: StepView): { mark: string; paint: Paint } {
  switch (state) {
    case 'done':
      return phase === 'undo' ? { mark: '↶', paint: grey } : { mark: '✔', paint: green };
    case 'failed':
      return { mark: '✘', paint: red };
    case 'running':
    case 'expanded':
      return { mark: '▸', paint: cyan };
    case 'ready':
      return { mark: '◦', paint: error === null ? cyan : yellow };
    default:
      return { mark: '·', paint: grey };
  }
}

function timeOf({ startedAt, endedAt, state }: StepView, now: number): string {
  if (startedAt === null || (endedAt === null && !['running', 'expanded'].includes(state))) return '';
  const took = (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt);
  return `${(Math.max(0, took) / 1_000).toFixed(1)} s`;
}

function attemptOf({ attempt, attemptsAllowed }: StepView): string {
  if (attempt < 2 && attemptsAllowed === null) return '';
  return attemptsAllowed === null || attemptsAllowed < 2
    ? attempt < 2
      ? ''
      : `attempt ${attempt}`
    : `attempt ${attempt} of ${attemptsAllowed}`;
}

function moreOf(step: StepView): string {
  if (step.error !== null && step.state !== 'done') return step.error.detail;
  if (step.state === 'running' && step.progress !== null) return step.progress;
  return waitText(step, (time) => time.slice(11, 19));
}

function headLine(head: OperationHead, steps: readonly StepView[], canvas: Canvas): string {
  const done = steps.filter(({ state }) => state === 'done').length;
  const cancel = head.isCancelPending === true ? ', cancel pending' : '';
  const ended = ENDED.has(head.operationState) && head.stateEnteredTime !== undefined;
  const until = ended ? Date.parse(head.stateEnteredTime ?? '') : canvas.now;
  const took = Math.max(0, (until - Date.parse(head.startTime)) / 1_000).toFixed(0);
  const paint = stateColour(head.operationState);
  return fit(
    `${head.operation} ${head.operationState}${cancel}  ${done} of ${steps.length} steps  ${took} s  ${head.id}`,
    canvas,
    paint,
  );
}

/** Its time runs no further. */
const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'FAILED_TEMP', 'ROLLED_BACK']);

const stateColour = (state: string): Paint =>
  state === 'COMPLETED' ? green : state === 'FAILED' || state === 'FAILED_TEMP' ? red : state.startsWith('ROLL') ? yellow : cyan;

const footLines = ({ error }: OperationHead, canvas: Canvas): string[] =>
  error?.detail === undefined ? [] : [fit(`  ${error.detail}`, canvas, red)];

/** One line of plain text that fits: what a script printed last may hold line breaks and orders to the terminal. */
function fit(text: string, { width, colour }: Canvas, paint: Paint): string {
  const plain = Array.from(oneLine(text).trimEnd());
  const cut = plain.length > width ? `${plain.slice(0, Math.max(0, width - 1)).join('')}…` : plain.join('');
  return colour ? paint(cut) : cut;
}

/** Without control characters; line breaks are blanks. */
export const oneLine = (text: string): string =>
  text.replaceAll(/\s+/g, (blanks) => (/[\r\n]/.test(blanks) ? ' ' : blanks)).replaceAll(/\p{Cc}|\p{Cf}/gu, '');
