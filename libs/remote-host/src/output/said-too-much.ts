import { TerminalError } from '@windlass/foundation';

/** In bytes. */
export const KIB = 1024;
/** In bytes. */
export const MIB = 1024 * KIB;

/** How much one answer of a machine may hold: a captured one talks without end, and this process serves other machines too. */
export interface Allowance {
  readonly bytes: number;
  /** On top for each second; for what goes on as long as a job runs. */
  readonly perSecond?: number;
}

/** A chunk costs time however short it is. SSH itself sends at least that much around each. */
const CHUNK_COST = 16;

/** Counts what a machine says against what it may say. */
export class Spending {
  readonly #since = performance.now();
  #spent = 0;

  constructor(private readonly allowance: Allowance) {}

  /** Whether it may still say this. */
  takes(bytes: number): boolean {
    const { bytes: atOnce, perSecond = 0 } = this.allowance;
    this.#spent += bytes + CHUNK_COST;
    return this.#spent <= atOnce + (perSecond * (performance.now() - this.#since)) / 1_000;
  }
}

/** A machine said more than it has reason to. It would do so again. Its connection is given up, so that nothing more of it is read. */
export class SaidTooMuch extends TerminalError {
  constructor(host: string, detail: string) {
    super('remote.said-too-much', `${host} said too much: ${detail}`);
    this.name = 'TerminalError';
  }
}

/** What a machine said is not what we understand: its script is not ours, or it isn't the machine we think. */
export const badAnswer = (host: string, detail: string): TerminalError =>
  new TerminalError('remote.bad-answer', `${host} gave an answer that the job script does not give: ${detail}`);

const inUnits = (bytes: number): string => (bytes < MIB ? `${bytes / KIB} KiB` : `${bytes / MIB} MiB`);

/** An allowance for a message. */
export const described = ({ bytes, perSecond }: Allowance): string =>
  perSecond === undefined ? inUnits(bytes) : `${inUnits(bytes)} and ${inUnits(perSecond)} a second`;

/** What a machine said, for a message: its first 500 characters unless said otherwise. */
export const quoted = (said: string, atMost = 500): string => (said.length <= atMost ? said : `${said.slice(0, atMost)}...`);
