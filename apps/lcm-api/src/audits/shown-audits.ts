import type { JsonObject, ProblemDetails } from '@windlass/foundation';
import type { AuditReport, InternalRecord, ObjectRef } from '@windlass/lifecycle';
import { listOf, TIME, whole } from '../routes/json-schemas.js';

/** What audits and clean-ups have in common. */
interface ShownInternal {
  id: string;
  state: InternalRecord['state'];
  /** RFC 3339. */
  createdAt: string;
  changedAt: string;
  /** Of the last attempt; absent where none has failed. */
  error?: ProblemDetails;
}

/** An audit as it is shown ({@link AUDIT}). */
export interface ShownAudit extends ShownInternal {
  fix: boolean;
  /** Null until it is DONE. */
  report: AuditReport | null;
}

/** A clean-up as it is shown ({@link CLEAN_UP}), without the VIM's access, which the record may hold. */
export interface ShownCleanUp extends ShownInternal {
  vnfInstanceId: string | null;
  vimId: string | null;
  attempts: number;
  retryAt: string | null;
  /** Names of what it removes. */
  stack: string | null;
  objects: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>[];
  images: string[];
}

const TEXT: JsonObject = { type: 'string' };
const TEXT_OR_NULL: JsonObject = { type: ['string', 'null'] };
const TIME_OR_NULL: JsonObject = { type: ['string', 'null'], format: 'date-time' };
const COUNT: JsonObject = { type: 'integer', minimum: 0 };
const STATE: JsonObject = { type: 'string', enum: ['PENDING', 'DONE', 'GIVEN_UP'] };

/** Members beside those that all have. */
const some = ({ required, properties }: JsonObject, more: JsonObject): JsonObject => ({
  type: 'object',
  required: required ?? [],
  properties: { ...(properties as JsonObject), ...more },
});

const ERROR: JsonObject = some(whole({}), { code: TEXT, title: TEXT, detail: TEXT, status: { type: 'integer' } });

const FINDING: JsonObject = some(
  whole({
    vimId: TEXT,
    type: { type: 'string', enum: ['stack', 'image', 'server', 'port', 'volume', 'object'] },
    id: TEXT,
    name: TEXT,
    detail: TEXT,
  }),
  { vnfInstanceId: TEXT, ref: { type: 'object' } },
);

const REPORT: JsonObject = whole({
  at: TIME,
  vims: listOf(some(whole({ id: TEXT, name: TEXT }), { failure: TEXT })),
  orphans: listOf(FINDING),
  missing: listOf(FINDING),
  foreign: listOf(FINDING),
  differences: listOf(FINDING),
  unclaimed: listOf(FINDING),
  busy: listOf(TEXT),
  waiting: listOf(
    whole({
      id: TEXT,
      kind: TEXT,
      vnfInstanceId: TEXT_OR_NULL,
      state: STATE,
      attempts: COUNT,
      retryAt: TIME_OR_NULL,
      error: TEXT_OR_NULL,
    }),
  ),
  cleanUps: listOf(TEXT),
});

const ended = { error: ERROR };

/** A {@link ShownAudit}; docs/runbooks/leaks.md says what the members of its report mean. */
export const AUDIT: JsonObject = some(
  whole({
    id: TEXT,
    state: STATE,
    createdAt: TIME,
    changedAt: TIME,
    fix: { type: 'boolean' },
    report: { anyOf: [REPORT, { type: 'null' }] },
  }),
  ended,
);

/** A {@link ShownCleanUp}. */
export const CLEAN_UP: JsonObject = some(
  whole({
    id: TEXT,
    state: STATE,
    createdAt: TIME,
    changedAt: TIME,
    vnfInstanceId: TEXT_OR_NULL,
    vimId: TEXT_OR_NULL,
    attempts: COUNT,
    retryAt: TIME_OR_NULL,
    stack: TEXT_OR_NULL,
    objects: listOf(whole({ kind: TEXT, namespace: TEXT_OR_NULL, name: TEXT })),
    images: listOf(TEXT),
  }),
  ended,
);

export const shownAudit = (record: InternalRecord<'AUDIT'>): ShownAudit => ({
  ...shown(record),
  fix: record.subject.fix,
  // It is what the saga's last step wrote.
  report: record.outcome as AuditReport | null,
});

export const shownCleanUp = (record: InternalRecord<'CLEAN_UP'>): ShownCleanUp => ({
  ...shown(record),
  vnfInstanceId: record.vnfInstanceId,
  vimId: record.vimId,
  attempts: record.attempts,
  retryAt: record.retryAt?.toISOString() ?? null,
  stack: record.subject.stack?.name ?? null,
  objects: (record.subject.objects ?? []).map(({ kind, namespace, name }) => ({ kind, namespace, name })),
  images: [...record.subject.images, ...(record.subject.sharedImages ?? [])],
});

const shown = ({ id, state, error, createdAt, changedAt }: InternalRecord): ShownInternal => ({
  id,
  state,
  createdAt: createdAt.toISOString(),
  changedAt: changedAt.toISOString(),
  ...(error === null ? {} : { error }),
});
