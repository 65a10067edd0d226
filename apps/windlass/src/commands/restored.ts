import { RequestError } from '@windlass/foundation';
import type { Incarnation, PgRestoration, RestoredAudit } from '@windlass/persistence';
import { Command, InvalidArgumentError } from 'commander';
import { inMeantDatabase, withDatabase, type DatabaseOptions } from './meant-database.js';
import type { Surroundings } from '../surroundings/config.js';
import { personsName } from '../surroundings/person.js';
import { droppedWords } from './restore.js';

const timeOf = (text: string): Date => {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('expected a time such as 2026-11-27T03:00:00Z');
  return time;
};

/** `./windlass restored`: what follows from a record's having been brought back. */
export function restoredCommand(where: Surroundings): Command {
  const restored = new Command('restored').description(
    'a record that was brought back: what its work waits for, by which command it goes on',
  );
  restored.addCommand(showCommand(where)).addCommand(beginCommand(where)).addCommand(releaseCommand(where));
  return restored;
}

const showCommand = (where: Surroundings): Command =>
  withDatabase(new Command('show'))
    .description('when the record was brought back, and what its work waits for')
    .option('--json', 'as one JSON object')
    .action(async ({ json, ...options }: DatabaseOptions & { json?: true }) => {
      const seen = await looked(where, options);
      process.stdout.write(json === true ? `${JSON.stringify(seen ?? null)}\n` : wordsOf(seen));
    });

const beginCommand = (where: Surroundings): Command =>
  withDatabase(new Command('begin'))
    .description(
      'begin the next incarnation, after PostgreSQL was brought back by its own means (point-in-time recovery) and before services are started; "windlass restore" does it itself',
    )
    .option('--record-of <time>', 'up to when the record goes, where you know it: for people', timeOf)
    .action(async ({ recordOf, ...options }: DatabaseOptions & { recordOf?: Date }) => {
      const { beginPointInTime } = await import('@windlass/persistence');
      const raised = await inMeantDatabase(where, options, { stopped: true, mustBeThere: true }, ({ url }) =>
        beginPointInTime(url, { recordOf: recordOf ?? null, by: `${personsName()} (windlass restored begin)` }),
      );
      process.stdout.write(`incarnation ${raised.number} begins\n${droppedWords(raised)}Now start the services.\n`);
    });

const CONSEQUENCES = `Without audits nobody has compared the record with what the VIMs hold. Operations that go on may then
  - make again what was made and deleted after the record was taken,
  - work on stacks that others have changed since, and
  - leave what was made after it, which only a later "windlass vnf audit" finds.`;

const releaseCommand = (where: Surroundings): Command =>
  withDatabase(new Command('release'))
    .description('let work begin although not every VIM was audited, where a VIM is gone for good')
    .option('--without-audits', 'says that the consequences below are accepted')
    .addHelpText('after', `\n${CONSEQUENCES}`)
    .action(async ({ withoutAudits, ...options }: DatabaseOptions & { withoutAudits?: true }) => {
      if (withoutAudits !== true)
        throw new RequestError(
          400,
          'restored.consequences',
          `${CONSEQUENCES}\nCall it with --without-audits where that is accepted`,
        );
      const released = await inRecord(where, options, async (restoration) => {
        const current = await restoration.current();
        return (
          current !== undefined &&
          restoration.alone((manager) => restoration.release(manager, current.number, `${personsName()}, without audits`))
        );
      });
      process.stdout.write(released === true ? 'released: work begins within seconds\n' : 'nothing waits\n');
    });

type Seen = Incarnation & { audits: RestoredAudit[] };

const looked = (where: Surroundings, options: DatabaseOptions): Promise<Seen | undefined> =>
  inRecord(where, options, async (restoration) => {
    const current = await restoration.current();
    return current && { ...current, audits: await restoration.audits(current.number) };
  });

const inRecord = <T>(
  where: Surroundings,
  options: DatabaseOptions,
  work: (restoration: PgRestoration) => Promise<T>,
): Promise<T> =>
  inMeantDatabase(where, options, { stopped: false, mustBeThere: true }, async ({ url }) => {
    const { connectDatabase, PgRestoration } = await import('@windlass/persistence');
    const database = await connectDatabase({ url, applicationName: 'windlass restored', poolSize: 1 });
    try {
      return await work(new PgRestoration(database));
    } finally {
      await database.destroy();
    }
  });

/** What a person reads. */
export function wordsOf(seen: Seen | undefined): string {
  if (seen === undefined) return 'the record was never brought back\n';
  const { number, cause, recordOf, beganAt, releasedAt, releasedBy, unknownSteps, audits } = seen;
  const how = cause === 'restore' ? 'from a backup' : 'by PostgreSQL';
  const lines = [
    `brought back ${how} at ${beganAt.toISOString()}; as it was ${recordOf === null ? 'at a time that nobody gave' : `at ${recordOf.toISOString()}`}; incarnation ${number}`,
  ];
  if (releasedAt === null) lines.push('work waits for audits of all VIMs; coordinators begin them when they run:');
  else lines.push(`work goes on since ${releasedAt.toISOString()}, released by ${releasedBy ?? 'nobody known'}; its audits:`);
  for (const audit of audits) lines.push(`  ${auditLine(audit)}`);
  lines.push(
    `${unknownSteps} steps that ran then are still not known: their operations stop at FAILED_TEMP ("step.restored") where nothing shows that they are done`,
  );
  return `${lines.join('\n')}\n`;
}

function auditLine({ operationId, tenant, state, report }: RestoredAudit): string {
  if (report === null)
    return `${tenant}: audit ${operationId} ${state === 'PENDING' ? 'is under way' : 'failed, and is made again'}`;
  const vims = report.vims.map(
    ({ name, failure }) => `${name}${failure === undefined ? '' : ` (could not be looked at: ${failure})`}`,
  );
  const { orphans, missing, differences } = report;
  return `${tenant}: audit ${operationId} of ${vims.join(', ') || 'no VIM'}: ${orphans.length} orphans, ${missing.length} missing, ${differences.length} differences`;
}
