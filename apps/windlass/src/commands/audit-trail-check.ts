import { RequestError } from '@windlass/foundation';
import { Command } from 'commander';
import type { ApiClient } from '../client/api-client.js';
import { text } from '../client/text.js';
import type { Surroundings } from '../surroundings/config.js';
import { oneLine } from '../display/step-tree.js';
import { apiOf, type TargetOptions, withTarget } from '../target/target.js';

const TRAIL = '/windlass/v1/audit_trail';

/** A page as `GET /windlass/v1/audit_trail/check` answers it. */
export interface CheckPage {
  entries: number;
  findings: readonly { kind: string; link: number | null; entries: readonly string[]; detail: string }[];
  links: { from: number; through: number } | null;
  next: number | null;
  purgedThrough: number;
  end: { head: string | null; waiting: number; separation: { separated: boolean; reason: string | null } } | null;
}

/** All pages of a check together. */
export interface CheckReport {
  /** How many were gone through. */
  links: number;
  entries: number;
  findings: CheckPage['findings'];
  purgedThrough: number;
  end: CheckPage['end'];
}

interface CheckOptions extends TargetOptions {
  since?: string;
  json?: boolean;
}

/** `./windlass audit-trail head`: to be kept elsewhere. */
export const trailHeadCommand = (where: Surroundings): Command =>
  withTarget(
    new Command('head').description(
      'print where the chain over the audit trail stands; kept elsewhere, a later check can tell that its end was cut off',
    ),
  ).action(async (_options: TargetOptions, command: Command) => {
    const { head } = await (await apiOf(where, optionsOf(command))).get<{ head: string | null }>(`${TRAIL}/head`);
    if (head === null) throw new RequestError(404, 'audit-trail.empty', 'nothing of the audit trail is chained yet');
    process.stdout.write(`${head}\n`);
  });

/** `./windlass audit-trail check`: is the trail as it was written? Its status is 1 where it is not. */
export const trailCheckCommand = (where: Surroundings): Command =>
  withTarget(
    new Command('check')
      .description('compare the audit trail with its chain; the status is 1 where something is not as it was written')
      .option('--since <head>', 'what "audit-trail head" printed then: it must be there, and what came after it is compared')
      .option('--json', 'JSON, for programs'),
  ).action(async (_options: CheckOptions, command: Command) => {
    const { since, json, ...target } = optionsOf(command);
    const report = await checkTrail(await apiOf(where, target), since, (links) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${links} links compared`);
    });
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : reportText(report));
    if (report.findings.length > 0) process.exitCode = 1;
  });

/** Its own options, and those that the command above took because it has the same. */
const optionsOf = (command: Command): CheckOptions => command.optsWithGlobals<CheckOptions>();

/** Goes through the chain, page after page. */
export async function checkTrail(
  api: Pick<ApiClient, 'get'>,
  since: string | undefined,
  progress: (links: number) => void,
): Promise<CheckReport> {
  const report: CheckReport = { links: 0, entries: 0, findings: [], purgedThrough: 0, end: null };
  const start = since === undefined ? 0 : Number(since.split(':', 1)[0]);
  for (let after: number | null = Number.isSafeInteger(start) ? start : 0, first = true; after !== null; first = false) {
    const query = new URLSearchParams({ after: String(after), ...(first && since !== undefined ? { head: since } : {}) });
    const page: CheckPage = await api.get<CheckPage>(`${TRAIL}/check?${query.toString()}`);
    report.links += page.links === null ? 0 : page.links.through - page.links.from + 1;
    report.entries += page.entries;
    report.findings = [...report.findings, ...page.findings];
    report.purgedThrough = page.purgedThrough;
    report.end = page.end;
    progress(report.links);
    after = page.next;
  }
  return report;
}

/** Ids that one line shows. */
const SHOWN = 20;

/** What a check came to, for people. */
export function reportText({ links, entries, findings, purgedThrough, end }: CheckReport): string {
  const lines = findings.map(({ kind, entries: ids, detail }) => {
    const shown = ids.length === 0 ? '' : `  ${ids.slice(0, SHOWN).join(' ')}${ids.length > SHOWN ? ' ...' : ''}`;
    return oneLine(`${kind}: ${detail}${shown}`);
  });
  const separation = end?.separation;
  if (separation?.separated === false)
    lines.push(
      oneLine(
        `The purge is not separated: ${text(separation.reason)}. docs/runbooks/audit-trail.md says how to give the trail a keeper.`,
      ),
    );
  if (purgedThrough > 0) lines.push(`Links up to ${purgedThrough} are older than the trail is kept.`);
  const verdict = findings.length === 0 ? 'The audit trail is as it was written' : 'THE AUDIT TRAIL IS NOT AS IT WAS WRITTEN';
  lines.push(`${verdict}: ${links} links with ${entries} entries compared; ${end?.waiting ?? 0} entries wait for their link.`);
  if (end?.head) lines.push(`head ${end.head}`);
  return `${lines.join('\n')}\n`;
}
