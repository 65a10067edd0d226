import type { StepView } from '../client/api-client.js';

/** Says each change of an operation's steps once: one line when a step ends, and one when it fails or is tried again. */
export class StepLines {
  readonly #said = new Map<string, string>();

  constructor(private readonly say: (line: string) => void) {}

  show = (steps: readonly StepView[]): void => {
    for (const step of steps) this.#showOne(step);
  };

  #showOne(step: StepView): void {
    const key = `${step.phase} ${step.state} ${step.attempt} ${step.error?.detail ?? ''}`;
    if (this.#said.get(step.id) === key) return;
    this.#said.set(step.id, key);
    const target = step.target === null ? '' : ` ${step.target}`;
    // A hook is done when the last step of its driver's plan is.
    const name = step.action === 'ask-driver' ? `hook ${step.id}, by${target}` : `${step.action}${target}`;
    const verb = step.phase === 'undo' ? 'undo ' : '';
    if (step.state === 'done' && step.startedAt !== null) this.say(`  ${secondsOf(step)}  ${verb}${name}`);
    else if (step.error !== null && (step.state === 'failed' || step.state === 'ready'))
      this.say(`  ${'!'.padStart(7)}  ${verb}${name}: ${step.error.detail}`);
  }
}

function secondsOf({ startedAt, endedAt }: StepView): string {
  const took = startedAt === null || endedAt === null ? 0 : Date.parse(endedAt) - Date.parse(startedAt);
  return `${(took / 1_000).toFixed(1)} s`.padStart(7);
}
