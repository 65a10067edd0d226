import { Command } from 'commander';
import { text } from '../client/text.js';
import { RequestError, type JsonObject } from '@windlass/foundation';
import type { Surroundings } from '../surroundings/config.js';
import { oneLine } from '../display/step-tree.js';
import { trailCheckCommand, trailHeadCommand } from './audit-trail-check.js';
import { trailSeparateCommand } from './audit-trail-separate.js';
import { apiOf, type TargetOptions, withTarget } from '../target/target.js';

interface TrailOptions extends TargetOptions {
  from?: string;
  before?: string;
  instance?: string;
  operation?: string;
  actor?: string;
  last: string;
  json?: boolean;
}

/** `./windlass audit-trail`: who asked for what, and what came of it. */
export function auditTrailCommand(where: Surroundings): Command {
  const command = new Command('audit-trail')
    .description('who asked a running Windlass for what, and what came of it; the newest first')
    .option('--from <time>', 'entries at this time or later, such as 2026-11-22T03:00:00Z')
    .option('--before <time>', 'entries before this time')
    .option('--instance <id>', 'entries about this VNF instance')
    .option('--operation <id>', 'entries about this operation occurrence')
    .option('--actor <name>', 'what this one asked for')
    .option('--last <n>', 'so many entries at most', '100')
    .option('--json', 'JSON, one entry a line, for programs');
  command.addCommand(trailCheckCommand(where)).addCommand(trailHeadCommand(where)).addCommand(trailSeparateCommand(where));
  return withTarget(command).action(async (options: TrailOptions) => {
    const atMost = Number(options.last);
    if (!Number.isInteger(atMost) || atMost < 1)
      throw new RequestError(400, 'cli.number', `--last ${options.last}: a whole number above 0 was expected`);
    const api = await apiOf(where, options);
    const entries = await api.pages(`/windlass/v1/audit_trail?${queryOf(options)}`, atMost);
    for (const entry of entries) process.stdout.write(`${options.json === true ? JSON.stringify(entry) : trailLine(entry)}\n`);
  });
}

function queryOf({ from, before, instance, operation, actor }: TrailOptions): string {
  const given = Object.entries({ from, before, vnfInstanceId: instance, operationId: operation, actor });
  return new URLSearchParams(
    given.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  ).toString();
}

/** An entry on one line: when, who, what, and what came of it. */
export function trailLine(entry: JsonObject): string {
  const at = text(entry.at);
  if (entry.kind === 'purge') return `${at}  purge  ${text(entry.detail)}`;
  if (entry.kind === 'outcome')
    return oneLine(`${at}  outcome  ${text(entry.operation)} ${text(entry.operationState)}  ${text(entry.operationId)}`);
  const who = entry.actor === null ? 'nobody known' : text(entry.actor);
  const outcome = entry.outcome as { operationState: string } | null;
  const came = outcome === null ? text(entry.code ?? '') : outcome.operationState;
  const resource = `${text(entry.method)} ${text(entry.resource)}`;
  return oneLine(`${at}  ${who} (${text(entry.remoteAddress)})  ${resource}  ${text(entry.status)} ${came}`).trimEnd();
}
