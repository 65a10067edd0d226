import { table } from '../report.js';
import type { BesideReport } from './beside-bare.js';
import { KINDS, type Aim, type Kind, type Side } from './beside-figures.js';
import type { Moment, Parts } from './moments.js';

/** The report as tables in Markdown, as they stand in docs/bench.md. */
export function besideText({ machine, oneProcess, count, ownImages, firstImage, figures, aims, runs }: BesideReport): string {
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
    imagesText(ownImages, firstImage),
    '',
    table([
      [
        'milliseconds',
        'bare',
        'Windlass',
        'difference',
        'ratio',
        'beyond image and reading',
        'than its looks',
        'bare, all runs',
        'Windlass, all runs',
        'bare as its looks saw it',
      ],
      ...KINDS.map((kind) => {
        const { bare, windlass, difference, ratio, beyond, seen: looks } = figures[kind];
        const others = [beyond, looks].map((both) => `${both.difference.toFixed(0)}, ${both.ratio.toFixed(2)}`);
        const medians = [bare.toFixed(0), windlass.toFixed(0), difference.toFixed(0), ratio.toFixed(2), ...others];
        return [name[kind], ...medians, all(kind, 'bare'), all(kind, 'windlass'), seen(kind)];
      }),
    ]),
    '',
    table([
      ['requests: bare, Windlass', ...services],
      ...KINDS.map((kind) => [name[kind], ...services.map((service) => requests(kind, service))]),
    ]),
    '',
    table([
      ['where Windlass’s time went', ...PARTS.map(([, text]) => text)],
      ...KINDS.map((kind) => [name[kind], ...PARTS.map(([part]) => figures[kind].parts[part].toFixed(0))]),
    ]),
    '',
    ...(['makeOne', 'endOne'] as const).flatMap((kind) =>
      (['bare', 'windlass'] as const).map((side) =>
        momentsText(`${name[kind]}, ${side}, last run`, runs.at(-1)?.kinds[kind][side].moments),
      ),
    ),
    ...aims.map((aim) => aimText(name[aim.kind], aim)),
    '',
  ].join('\n');
}

const imagesText = (ownImages: boolean, firstImage: number): string =>
  ownImages
    ? 'Each instance uploads an image of its own.'
    : `Instances share the image of their package (IMAGE_SHARING): the first of this VIM uploaded it, in ${firstImage.toFixed(0)} ms, before anything was measured.`;

const PARTS: readonly (readonly [keyof Parts, string])[] = [
  ['before', 'until Heat is asked'],
  ['image', 'of it Glance'],
  ['heat', 'Heat, until its event'],
  ['noticing', 'until a look showed it'],
  ['reading', 'reading'],
  ['rest', 'the rest'],
];

/** What happened, in milliseconds from the first request. */
const momentsText = (title: string, moments: readonly Moment[] = []): string =>
  `${table([['ms', 'took', title], ...moments.map(({ at, took, what }) => [at.toFixed(0), took.toFixed(0), what])])}\n`;

function aimText(name: string, { what, most, measured, reached }: Aim): string {
  const verdict = reached ? 'reached' : 'MISSED';
  return what === 'difference'
    ? `${name}: at most ${most} ms more than bare: ${verdict} (${measured.toFixed(0)} ms)`
    : `${name}: at most ${most} times as long as bare: ${verdict} (${measured.toFixed(2)})`;
}
