import { randomInt } from 'node:crypto';

/** The size of a run. */
export interface ChaosSize {
  operations: number;
  instances: number;
  /** The limit for the run with starts and clean-up, on a busy machine. */
  withinMinutes: number;
}

const SIZES: Readonly<Record<string, ChaosSize>> = {
  small: { operations: 60, instances: 10, withinMinutes: 30 },
  full: { operations: 300, instances: 30, withinMinutes: 90 },
};

export interface ChaosRun {
  size: ChaosSize;
  /** The seed of all decisions. */
  seed: number;
}

/**
 * The runs that `./windlass test` asks for: `WINDLASS_CHAOS` (`small`, `full`, or a size such as `20x5`:
 * operations and instances), `WINDLASS_CHAOS_SEED` (a seed, or several with commas; a new seed unless given).
 */
export function chaosRuns(env: NodeJS.ProcessEnv = process.env): ChaosRun[] {
  const { WINDLASS_CHAOS: name = 'small', WINDLASS_CHAOS_SEED: seeds } = env;
  const size = SIZES[name] ?? ownSize(name);
  if (size === undefined)
    throw new Error(`WINDLASS_CHAOS is ${name}; expected small, full, or operations and instances as in 20x5`);
  if (seeds !== undefined && !/^\d{1,9}(,\d{1,9})*$/.test(seeds))
    throw new Error(`WINDLASS_CHAOS_SEED is ${seeds}; expected a whole number, or several with commas`);
  return (seeds?.split(',').map(Number) ?? [randomInt(1_000_000)]).map((seed) => ({ size, seed }));
}

function ownSize(name: string): ChaosSize | undefined {
  const [, operations, instances] = /^(\d{1,4})x(\d{1,3})$/.exec(name) ?? [];
  return operations === undefined
    ? undefined
    : { operations: Number(operations), instances: Number(instances), withinMinutes: 90 };
}
