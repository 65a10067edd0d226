import type { Journal, JournalTransaction, OperationRecord, StepRecord } from '@windlass/saga';
import type { DataSource, EntityManager } from 'typeorm';

/** Called at a crash point with its name. @throws Crash when the process dies there */
export type Reached = (point: string) => void;

/** A journal with crash points before and after every commit that writes something of an operation. */
export function crashingJournal(journal: Journal, reached: (operationId: string) => Reached | undefined): Journal {
  const transact: Journal['transact'] = async (operationId, work, options) => {
    const reach = reached(operationId);
    if (reach === undefined) return journal.transact(operationId, work, options);
    let written: string[] = [];
    const answer = await journal.transact(
      operationId,
      async (tx) => {
        const before = structuredClone({ operation: tx.operation, steps: tx.steps });
        const done = await work(watched(tx, (saved) => (written = namesOf(before, tx.operation, saved))));
        for (const name of written) reach(`before the commit of ${name}`);
        return done;
      },
      options,
    );
    for (const name of written) reach(`after the commit of ${name}`);
    return answer;
  };
  return {
    transact,
    look: (limit) => journal.look(limit),
    steady: () => journal.steady(),
    waiting: (vacancies) => journal.waiting(vacancies),
    limitUse: () => journal.limitUse(),
    withReadySteps: () => journal.withReadySteps(),
  };
}

type Saved = Parameters<JournalTransaction['save']>[0];

const watched = (tx: JournalTransaction, onSave: (saved: Saved) => void): JournalTransaction => ({
  operation: tx.operation,
  steps: tx.steps,
  now: tx.now,
  handle: tx.handle,
  readPayload: (stepId, kind) => tx.readPayload(stepId, kind),
  writePayload: (stepId, kind, value) => tx.writePayload(stepId, kind, value),
  dropPayloads: (kinds) => tx.dropPayloads(kinds),
  countRunning: (wanted) => tx.countRunning(wanted),
  quarantinedIn: (process) => tx.quarantinedIn(process),
  save: (saved) => {
    onSave(saved);
    return tx.save(saved);
  },
});

/**
 * Names a write by its meaning, the same in every run: `operation running`, `left do done`. A write has several names where steps moved in one
 * transaction, and none where it depends on the machine's speed: a wake-up that is sent again, a renewal that nothing waits for.
 */
function namesOf(
  before: { operation: OperationRecord; steps: readonly StepRecord[] },
  operation: OperationRecord,
  { changed }: Saved,
): string[] {
  if (operation.status !== before.operation.status) return [`operation ${operation.status}`];
  return changed.flatMap((step) => {
    const was = before.steps.find(({ id }) => id === step.id);
    return was === undefined ? [] : (nameOf(was, step) ?? []);
  });
}

function nameOf(was: StepRecord, step: StepRecord): string | undefined {
  const now = `${step.id} ${step.phase} ${step.state}`;
  if (now !== `${was.id} ${was.phase} ${was.state}`) return now;
  if (step.state === 'ready' && was.nextAttemptAt !== null && step.nextAttemptAt === null) return `${now} again`;
  if (step.id === 'right' && step.state === 'running' && step.epoch === was.epoch) return 'renewal of right';
  return undefined;
}

interface OutboxRow {
  message: { operationId?: string; told?: string; stepId?: string };
}

/** A relay of the outbox with crash points: when a row is published and not marked as sent, and when it is marked. */
export function crashingRelay(database: DataSource, reached: (operationId: string) => Reached | undefined): void {
  const transaction = database.transaction.bind(database) as <T>(work: (manager: EntityManager) => Promise<T>) => Promise<T>;
  const struck = async <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> => {
    // The run's points at the time when the rows are read: others may see the mark before this process knows of it.
    let rows: { reach: Reached | undefined; event: string }[] = [];
    const reach = (when: string): void => {
      for (const row of rows) row.reach?.(`${when} "${row.event}"`);
    };
    const answer = await transaction(async (manager) => {
      const query = manager.query.bind(manager) as (sql: string, parameters?: unknown[]) => Promise<unknown>;
      const watching = async (sql: string, parameters?: unknown[]): Promise<unknown> => {
        const found = await query(sql, parameters);
        if (sql.includes('FROM lcm.outbox WHERE NOT sent')) {
          rows = (found as OutboxRow[]).map(({ message }) => ({
            reach: reached(message.operationId ?? ''),
            event: message.told ?? message.stepId ?? '',
          }));
        }
        return found;
      };
      const done = await work(Object.assign(manager, { query: watching }));
      reach('after the publication of');
      return done;
    });
    reach('after the mark on');
    return answer;
  };
  Object.assign(database, { transaction: struck });
}
