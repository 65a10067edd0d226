import type { Claim } from '../coordinator/messages.js';
import type { WakeUp } from '../ports.js';
import type { RandomTape } from './random-world.js';
import type { Stage } from './stage.js';

/** The work of a step in a process: it takes a time, or, as poison, ends the process each time. */
export type Work = { kind: 'takes'; time: number } | { kind: 'poison'; fuse: number };

interface Run {
  claim: Claim;
  work: Work;
  begunAt: number;
  renewedAt: number;
}

interface Process {
  name: string;
  /** The time from which the process takes steps: until then it is being started. */
  aliveFrom: number;
  runs: Run[];
}

const TICK = 250;

/** The time that a supervisor takes to restart a process, in milliseconds. */
const STARTS_IN = 1_500;

const FINAL = ['completed', 'rolled-back', 'suspended', 'abandoned'];

/** The worker processes of one service on the stage's clock. Each runs all steps that it is granted, and loses them when it dies. */
export class Processes {
  readonly #processes: Process[] = [];
  #names = 0;
  deaths = 0;

  /** @param workOf gives the work of a step at each claim */
  constructor(
    private readonly stage: Stage,
    private readonly tape: RandomTape,
    private readonly workOf: (claim: Claim) => Work,
    count: number,
  ) {
    for (let n = 0; n < count; n++) this.#processes.push(this.#start(0));
  }

  /** The number of running steps. */
  get running(): number {
    return this.#processes.reduce((sum, { runs }) => sum + runs.length, 0);
  }

  /** Runs until no operation moves any more. Returns the time that took, in milliseconds. */
  async settle(within: number): Promise<number> {
    const begun = this.#now;
    while (!this.#allRest()) {
      if (this.#now - begun > within)
        throw new Error(`they do not come to rest: ${JSON.stringify([...this.stage.journal.steps.values()])}`);
      await this.tick();
    }
    return this.#now - begun;
  }

  /** Lets a moment pass: wake-ups are answered, work goes on or ends its process, leases are renewed. */
  async tick(): Promise<void> {
    for (const process of [...this.#processes]) await this.#goOn(process);
    const wakeUps = this.stage.wakeUps.splice(0);
    while (wakeUps.length > 0) {
      const [wakeUp] = wakeUps.splice(this.tape.below(wakeUps.length), 1);
      if (wakeUp !== undefined) await this.#answer(wakeUp);
    }
    await this.stage.pass(TICK);
  }

  /** Ends a process as a crash would, with all its steps. */
  kill(process = this.tape.pick(this.#processes)): void {
    if (process === undefined) return;
    this.deaths += 1;
    this.#processes.splice(this.#processes.indexOf(process), 1, this.#start(STARTS_IN));
  }

  #start(startsIn: number): Process {
    return { name: `maker@host:${this.#names++}`, aliveFrom: this.#now + startsIn, runs: [] };
  }

  async #answer(wakeUp: WakeUp): Promise<void> {
    const process = this.tape.pick(this.#processes.filter(({ aliveFrom }) => aliveFrom <= this.#now));
    if (process === undefined) {
      this.stage.wakeUps.push(wakeUp);
      return;
    }
    const reply = await this.stage.coordinator.claim({ ...wakeUp, worker: process.name, actions: ['make@1'] });
    if (!reply.granted) return;
    const { claim } = reply;
    process.runs.push({ claim, work: this.workOf(claim), begunAt: this.#now, renewedAt: this.#now });
  }

  async #goOn(process: Process): Promise<void> {
    const fuseBurnt = ({ work, begunAt }: Run): boolean => work.kind === 'poison' && this.#now - begunAt >= work.fuse;
    if (process.runs.some(fuseBurnt)) {
      this.kill(process);
      return;
    }
    for (const run of [...process.runs]) {
      const { operationId, stepId, epoch } = run.claim;
      if (run.work.kind === 'takes' && this.#now - run.begunAt >= run.work.time) {
        process.runs.splice(process.runs.indexOf(run), 1);
        await this.stage.coordinator.result({ operationId, stepId, epoch, outcome: { kind: 'done' } });
      } else if (this.#now - run.renewedAt >= this.stage.policy.lease / 3) {
        run.renewedAt = this.#now;
        await this.stage.coordinator.renew({ operationId, stepId, epoch });
      }
    }
  }

  #allRest(): boolean {
    return [...this.stage.journal.operations.values()].every(({ status }) => FINAL.includes(status));
  }

  get #now(): number {
    return this.stage.journal.now.getTime();
  }
}
