import type { ShownAudit, ShownCleanUp } from '@windlass/lcm-api';

/** As `/windlass/v1/audits/{id}` tells it. */
export type Audit = Pick<ShownAudit, 'state' | 'report' | 'error'>;
export type Report = NonNullable<Audit['report']>;
export type Finding = Report['orphans'][number];

/** As `/windlass/v1/clean_ups/{id}` tells it; an API of an older release tells no objects. */
export type CleanUp = Pick<ShownCleanUp, 'id' | 'state' | 'attempts' | 'stack' | 'images' | 'error'> &
  Partial<Pick<ShownCleanUp, 'objects'>>;

/** Whether every VIM answered. */
export const looked = ({ vims }: Report): boolean => vims.every(({ failure }) => failure === undefined);

/** Whether something is not as it should be, after what the clean-ups have removed. */
export function differs({ orphans, missing, foreign, differences, waiting }: Report, cleanUps: readonly CleanUp[]): boolean {
  const removed = cleanUps.length > 0 && cleanUps.every(({ state }) => state === 'DONE') ? removedBy(cleanUps) : 0;
  return orphans.length > removed || [missing, foreign, differences, waiting].some(({ length }) => length > 0);
}

const removedBy = (cleanUps: readonly CleanUp[]): number =>
  cleanUps.reduce((sum, { stack, images, objects = [] }) => sum + images.length + objects.length + (stack === null ? 0 : 1), 0);

const SECTIONS = [
  ['orphans', 'orphans: they carry our tag, and no instance has them'],
  ['missing', 'missing: an instance has them, the VIM has not'],
  ['foreign', 'foreign: in our servers, but not of our stacks; never touched'],
  ['differences', 'differences'],
  ['unclaimed', 'of no Windlass that we know: without our tag; never touched'],
] as const;

/** The report for people. */
export function auditText(report: Report, cleanUps: readonly CleanUp[]): string {
  const names = new Map(report.vims.map(({ id, name }) => [id, name]));
  const line = ({ vimId, type, name, id, detail, vnfInstanceId }: Finding): string =>
    `  ${names.get(vimId) ?? vimId}  ${type}  ${name}  ${id}  ${detail}${vnfInstanceId === undefined ? '' : ` (VNF instance ${vnfInstanceId})`}`;
  const lines = report.vims.map(
    ({ name, failure }) => `VIM ${name}: ${failure === undefined ? 'looked at' : `could not be looked at: ${failure}`}`,
  );
  for (const [kind, title] of SECTIONS) {
    if (report[kind].length > 0) lines.push(`${title}:`, ...report[kind].map(line));
  }
  if (report.waiting.length > 0) lines.push('clean-ups that failed so far:', ...report.waiting.map(waitingLine));
  if (report.waiting.some(({ kind, state }) => kind === 'CLEAN_UP' && state === 'PENDING'))
    lines.push('  (one that can never be done, its VIM is no more: ./windlass vnf clean-up give-up <id>)');
  if (report.busy.length > 0) lines.push(`not looked into, since something works on them: ${report.busy.join(', ')}`);
  if (cleanUps.length > 0) lines.push('removed by this audit:', ...cleanUps.map(cleanUpLine));
  if (looked(report) && !differs(report, cleanUps)) lines.push('the VIMs hold what the database says, and nothing else of ours');
  return lines.join('\n');
}

const waitingLine = ({ id, kind, state, attempts, retryAt, error }: Report['waiting'][number]): string =>
  `  ${id}  ${kind}  ${state === 'GIVEN_UP' ? 'given up' : `tried ${attempts} times, again at ${retryAt ?? 'once'}`}: ${error ?? 'no reason'}`;

const cleanUpLine = ({ id, state, stack, images, error }: CleanUp): string =>
  `  ${id}  ${stack ?? ''}  ${images.join(' ')}  ${state === 'DONE' ? 'removed' : `not yet: ${error?.detail ?? 'it goes on'}`}`.replaceAll(
    '   ',
    ' ',
  );
