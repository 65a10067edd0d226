import { Random } from '../../chaos/random.js';

/** The write of a commit of the coordinator: a step's claim, or its result. */
export type Transition = 'claim' | 'result';

/** A kind of death at one commit of the journal. */
export interface Death {
  title: string;
  transition: Transition;
  /** `before`: the death takes the commit back. `after`: the commit stays. */
  commit: 'before' | 'after';
  /** The processes that die; `worker` is the process that works on the step. */
  victims: readonly ('coordinator' | 'worker')[];
  /** Whether the death waits until a job of the step has begun on its host. */
  job?: true;
}

export const DEATHS: readonly Death[] = [
  {
    title: 'coordinator dies before it has journaled the claim',
    transition: 'claim',
    commit: 'before',
    victims: ['coordinator'],
  },
  { title: 'coordinator dies after it has journaled the claim', transition: 'claim', commit: 'after', victims: ['coordinator'] },
  {
    title: 'coordinator dies before it has journaled the result',
    transition: 'result',
    commit: 'before',
    victims: ['coordinator'],
  },
  {
    title: 'coordinator dies after it has journaled the result',
    transition: 'result',
    commit: 'after',
    victims: ['coordinator'],
  },
  { title: 'worker dies when its claim is journaled', transition: 'claim', commit: 'after', victims: ['worker'] },
  { title: 'worker dies while its job runs', transition: 'claim', commit: 'after', victims: ['worker'], job: true },
  {
    title: 'worker and coordinator die between the effect and its report',
    transition: 'result',
    commit: 'before',
    victims: ['worker', 'coordinator'],
  },
  { title: 'worker dies when its report is journaled', transition: 'result', commit: 'after', victims: ['worker'] },
];

/** A step of an uninterrupted run, as far as the choice of points needs it. */
export interface PlannedStep {
  /** The step's id without the node's name: the first node of the role to reach the step is struck. */
  kind: string;
  service: string;
  /** Whether the step starts a job on its host. */
  hasJob: boolean;
}

export interface Point {
  step: PlannedStep;
  death: Death;
}

/** `join-worker:worker24` is one of the steps `join-worker:worker`, `delete-image:80b8af22-...` one of `delete-image`. */
export const kindOf = (stepId: string): string => stepId.replace(/(?<=:(master|worker))[\d-]+$|:[0-9a-f-]{36}$/, '');

/** The part of a step's id after the kind, as a regular expression of PostgreSQL. */
export const AFTER_KIND = '([0-9-]*|:[0-9a-f-]{36})$';

export const describePoint = ({ step, death }: Point): string => `${step.kind}: ${death.title}`;

/** Draws points at different steps, with deaths as different as the steps allow; the same seed draws the same points of the same steps. */
export function samplePoints(seed: number, operation: string, steps: readonly PlannedStep[], count: number): Point[] {
  const random = Random.of(seed, operation);
  const left = steps.filter(({ kind }, index) => steps.findIndex((step) => step.kind === kind) === index);
  if (left.length < count) throw new Error(`${operation} has ${left.length} kinds of steps; ${count} are to be struck`);
  const drawn = new Map<Death, number>();
  const timesOf = (death: Death): number => drawn.get(death) ?? 0;
  return Array.from({ length: count }, () => {
    const [step] = left.splice(random.whole(0, left.length - 1), 1);
    if (step === undefined) throw new Error('nothing is left to choose from');
    const possible = DEATHS.filter((death) => isPossible(death, step));
    const least = Math.min(...possible.map(timesOf));
    const [first, ...others] = possible.filter((death) => timesOf(death) === least);
    if (first === undefined) throw new Error(`${step.kind} can't be struck`);
    const death = random.pick([first, ...others]);
    drawn.set(death, timesOf(death) + 1);
    return { step, death };
  });
}

/** Whether a death is possible at a step: the coordinator, which runs inline steps itself, dies only as coordinator. */
const isPossible = ({ victims, job }: Death, { service, hasJob }: PlannedStep): boolean =>
  (service !== 'saga-coordinator' || !victims.includes('worker')) && (job === undefined || hasJob);
