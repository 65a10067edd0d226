import { describeDuration, minutes, RequestError, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { Command } from 'commander';
import type { ApiClient } from '../client/api-client.js';
import { text } from '../client/text.js';
import type { Surroundings } from '../surroundings/config.js';
import { auditText, differs, looked, type Audit, type CleanUp } from './audit-text.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

/** Exit statuses of `vnf audit`, as `diff` has them. */
const CLEAN = 0;
const DIFFERENCES = 1;
const COULD_NOT_LOOK = 2;

interface AuditOptions extends TargetOptions {
  fix?: boolean;
  json?: boolean;
}

/** `./windlass vnf audit`: does every VIM hold what the database says, and nothing else? */
export function auditCommand(where: Surroundings): Command {
  return withTarget(
    new Command('audit')
      .description(
        'compare what the database says with what the VIMs hold; exit status 0: the same, 1: differences, 2: could not look',
      )
      .option('--fix', 'remove orphans that carry the tag of this Windlass')
      .option('--json', 'the report as JSON'),
  ).action(async (options: AuditOptions) => {
    try {
      process.exitCode = await audit(await apiOf(where, options), options);
    } catch (error) {
      process.stderr.write(`windlass: the audit could not be made: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = COULD_NOT_LOOK;
    }
  });
}

/** Makes an audit, waits for the clean-ups that it begins, and prints the report. @returns the exit status */
export async function audit(
  api: ApiClient,
  { fix = false, json = false }: { fix?: boolean; json?: boolean },
  print: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<number> {
  const made = await ended(api, await api.accept('/windlass/v1/audits', { fix }));
  const { report } = made;
  if (report === null) throw new RequestError(503, 'audit.failed', made.error?.detail ?? 'it was given up');
  const cleanUps = await Promise.all(report.cleanUps.map((id) => settled(api, id)));
  print(json ? JSON.stringify({ ...report, cleanUps }, null, 2) : auditText(report, cleanUps));
  if (!looked(report)) return COULD_NOT_LOOK;
  return differs(report, cleanUps) ? DIFFERENCES : CLEAN;
}

/** Large clouds are listed page by page. */
const LISTED_WITHIN = minutes(10);

const ended = (api: ApiClient, path: string): Promise<Audit> =>
  waitUntil(
    async (seen) => {
      const shown = await api.get<JsonObject & Audit>(path);
      seen(text(shown.state));
      return shown.state === 'PENDING' ? undefined : shown;
    },
    { for: 'the VIMs to be listed', within: LISTED_WITHIN, every: seconds(0.3) },
  );

/** How long a clean-up is waited for; what takes longer goes on by itself. */
const CLEANED_WITHIN = minutes(10);

/** The clean-up when it has ended, or has failed for the first time: it is tried again, but nobody waits for that. */
async function settled(api: ApiClient, id: string): Promise<CleanUp> {
  const path = `/windlass/v1/clean_ups/${id}`;
  try {
    return await waitUntil(
      async (seen) => {
        const shown = await api.get<JsonObject & CleanUp>(path);
        seen(shown.state);
        return shown.state !== 'PENDING' || shown.attempts > 0 ? shown : undefined;
      },
      { for: `clean-up ${id} after ${describeDuration(CLEANED_WITHIN)}`, within: CLEANED_WITHIN, every: seconds(0.3) },
    );
  } catch {
    // It goes on: the report shows it as it stands.
    return api.get<JsonObject & CleanUp>(path);
  }
}
