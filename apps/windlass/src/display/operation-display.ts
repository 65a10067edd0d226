import { seconds } from '@windlass/foundation';
import { createLogUpdate } from 'log-update';
import type { WriteStream } from 'node:tty';
import type { StepView } from '../client/api-client.js';
import { StepLines } from './step-lines.js';
import { drawOperation, oneLine, type OperationHead } from './step-tree.js';

/** Shows one operation while it runs. */
export interface OperationDisplay {
  /** Where it stands now: all of its steps, in the order of the tree. */
  show(head: OperationHead, steps: readonly StepView[]): void;
  /** Something beside the operation, such as that the API does not answer. */
  note(text: string): void;
  /** It is over, or nobody wants to see it any more. Leaves the terminal as it was. */
  close(): void;
}

/** The tree on a terminal, a line a step elsewhere. */
export const displayFor = (stream: NodeJS.WritableStream, say: (line: string) => void): OperationDisplay =>
  isTerminal(stream) ? new LiveTree(stream) : new PlainLines(say);

const isTerminal = (stream: NodeJS.WritableStream): stream is WriteStream => 'isTTY' in stream && stream.isTTY === true;

/** One line when a step ends, and one when it fails or is tried again. */
export class PlainLines implements OperationDisplay {
  readonly #lines: StepLines;
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
    this.#lines = new StepLines(say);
  }

  show(_head: OperationHead, steps: readonly StepView[]): void {
    this.#lines.show(steps);
  }

  note(text: string): void {
    this.#say(`  ${oneLine(text)}`);
  }

  close(): void {
    // Nothing is held.
  }
}

/** How often the tree is drawn anew though nothing has changed: the time of what runs goes on. */
const REDRAW = seconds(1);

/** The tree, drawn over itself. */
export class LiveTree implements OperationDisplay {
  readonly #update: ReturnType<typeof createLogUpdate>;
  readonly #ticking: NodeJS.Timeout;
  readonly #redraw = (): void => this.#draw();
  #now: { head: OperationHead; steps: readonly StepView[] } | undefined;
  #note = '';

  constructor(private readonly terminal: WriteStream) {
    this.#update = createLogUpdate(terminal);
    this.#ticking = setInterval(this.#redraw, REDRAW);
    terminal.on('resize', this.#redraw);
  }

  show(head: OperationHead, steps: readonly StepView[]): void {
    this.#now = { head, steps };
    this.#note = '';
    this.#draw();
  }

  note(text: string): void {
    this.#note = text;
    this.#draw();
  }

  /** What stands on the terminal for good is the whole tree, however long. */
  close(): void {
    clearInterval(this.#ticking);
    this.terminal.off('resize', this.#redraw);
    this.#update.clear();
    this.#update.done();
    if (this.#now !== undefined) this.terminal.write(`${this.#lines(Number.POSITIVE_INFINITY).join('\n')}\n`);
  }

  #draw(): void {
    // One line less than the terminal has: the cursor stands below.
    this.#update([...this.#lines(this.terminal.rows - 1), ...(this.#note === '' ? [] : [`  ${oneLine(this.#note)}`])].join('\n'));
  }

  #lines(height: number): string[] {
    if (this.#now === undefined) return [];
    const { head, steps } = this.#now;
    const colour = this.terminal.hasColors();
    return drawOperation(head, steps, { width: this.terminal.columns, height: height - 1, now: Date.now(), colour });
  }
}

/** One JSON document a line: what came, as it came. */
export class JsonLines implements OperationDisplay {
  #told = new Map<string, string>();

  constructor(private readonly say: (line: string) => void) {}

  show(head: OperationHead, steps: readonly StepView[]): void {
    this.#tell('', { event: 'operation', ...head });
    for (const step of steps) this.#tell(step.id, { event: 'step', operationId: head.id, ...step });
  }

  note(text: string): void {
    this.say(JSON.stringify({ event: 'note', text }));
  }

  close(): void {
    // Nothing is held.
  }

  #tell(key: string, value: object): void {
    const line = JSON.stringify(value);
    if (this.#told.get(key) === line) return;
    this.#told.set(key, line);
    this.say(line);
  }
}
