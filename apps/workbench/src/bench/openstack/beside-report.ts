import { table } from '../report.js';
import type { BesideReport } from './beside-bare.js';
import { KINDS, type Aim, type Kind, type Side } from './beside-figures.js';

/** The report as tables in Markdown, as they stand in docs/bench.md. */
export function besideText({ machine, oneProcess, count, figures, aims, runs }: BesideReport): string {
  const name: Record<Kind, string> = {
    makeOne: 'one VM, made',
    endOne: 'one VM, ended',
    makeMany: `${count} VMs at once, made`,
    endMany: `${count} VMs at once, ended`,
  };
  const all = (kind: Kind, side: Side): string => runs.map(({ kinds }) => kinds[kind][side].took.toFixed(0)).join(', ');
  const seen = (kind: Kind): string => runs.map(({ kinds }) => kinds[kind].bare.seen?.toFixed(0) ?? '?').join(', ');
  const services = [
    ...new Set(KINDS.flatMap((kind) => Object.values(figures[kind].requests).flatMap((counts) => Object.keys(counts)))),
  ].sort();
  const requests = (kind: Kind, service: string): string =>
    `${figures[kind].requests.bare[service] ?? 0}, ${figures[kind].requests.windlass[service] ?? 0}`;
  return [
    `${oneProcess ? 'All services in one process' : 'A process a service'}, synced to disk; ${runs.length} run${runs.length === 1 ? '' : 's'}, of which ${runs.map(({ first }) => first).join(', ')} began.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    table([
      [
        'milliseconds',
        'bare',
        'Windlass',
        'difference',
        'ratio',
        'bare, all runs',
        'Windlass, all runs',
        'bare as its looks saw it',
      ],
      ...KINDS.map((kind) => {
        const { bare, windlass, difference, ratio } = figures[kind];
        const medians = [bare.toFixed(0), windlass.toFixed(0), difference.toFixed(0), ratio.toFixed(2)];
        return [name[kind], ...medians, all(kind, 'bare'), all(kind, 'windlass'), seen(kind)];
      }),
    ]),
    '',
    table([
      ['requests: bare, Windlass', ...services],
      ...KINDS.map((kind) => [name[kind], ...services.map((service) => requests(kind, service))]),
    ]),
    '',
    ...aims.map((aim) => aimText(name[aim.kind], aim)),
    '',
  ].join('\n');
}

function aimText(name: string, { what, most, measured, reached }: Aim): string {
  const verdict = reached ? 'reached' : 'MISSED';
  return what === 'difference'
    ? `${name}: at most ${most} ms more than bare: ${verdict} (${measured.toFixed(0)} ms)`
    : `${name}: at most ${most} times as long as bare: ${verdict} (${measured.toFixed(2)})`;
}
