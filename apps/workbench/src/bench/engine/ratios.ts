import { median, rounded } from '../figures.js';
import type { Figures, Round } from './round.js';

/** This checkout's figures by the other's, for one number of operations at once: 0.5 is half of it. */
export interface Ratios {
  atOnce: number;
  instantiation: Record<string, number>;
  termination: Record<string, number>;
}

/** What is compared. Of times by the clock only what both sides had under the same load means something. */
const COMPARED: Readonly<Record<string, (figures: Figures, services: readonly string[]) => number>> = {
  'operations a second': ({ operationsPerSecond }) => operationsPerSecond,
  'own time a step, p95': ({ ownTime }) => ownTime.total.p95,
  'processor time, services': ({ cpuPerOperation }, services) => sum(services.map((name) => cpuPerOperation[name] ?? 0)),
  'processor time, PostgreSQL': ({ cpuPerOperation }) => cpuPerOperation.PostgreSQL ?? 0,
  'processor time, NATS': ({ cpuPerOperation }) => cpuPerOperation.NATS ?? 0,
  transactions: ({ perOperation }) => perOperation.transactions,
  '… of them writing': ({ perOperation }) => perOperation.writes,
  statements: ({ perOperation }) => perOperation.statements,
  'bytes of WAL': ({ perOperation }) => perOperation.walBytes,
  'messages sent': ({ perOperation }) => perOperation.sent,
  'requests to the VIM': ({ requests }) => sum(Object.values(requests)),
};

/**
 * The median of the runs' ratios: both sides of a run were measured right after one another.
 * @param services names of the services' processes
 */
export function ratiosOf(
  counts: readonly number[],
  ours: readonly Round[],
  theirs: readonly Round[],
  services: readonly string[],
): Ratios[] {
  return counts.map((atOnce) => {
    const [one, other] = [ours, theirs].map((rounds) => rounds.filter((round) => round.atOnce === atOnce)) as [Round[], Round[]];
    const of = (figures: (round: Round) => Figures): Record<string, number> =>
      Object.fromEntries(
        Object.entries(COMPARED).map(([name, figure]) => [
          name,
          rounded(median(one.flatMap((round, n) => ratio(round, other[n], (round) => figure(figures(round), services))))),
        ]),
      );
    return { atOnce, instantiation: of((round) => round), termination: of(({ termination }) => termination) };
  });
}

/** None where one of both has none. */
function ratio(one: Round, other: Round | undefined, figure: (round: Round) => number): number[] {
  const by = other === undefined ? 0 : figure(other);
  return by === 0 ? [] : [figure(one) / by];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
