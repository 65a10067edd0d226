import type { Answers } from '../../dist/openapi.js';
import type { ApiClient } from '../api/client.js';
import { pathOfLink } from '../api/client.js';

type Audit = Answers['/windlass/v1/audits/{id}'];

/** What an audit found (docs/runbooks/leaks.md). */
export type Report = NonNullable<Audit['report']>;

/** A thing that is not as it should be. */
export type Finding = Report['orphans'][number];

/** Milliseconds before the first look at an audit that was begun, and between two more. */
const FIRST = 1_000;
const EACH = 5_000;

/**
 * Begins an audit of the project and waits for its report. With `isFixing` it begins clean-ups of the orphans that it finds.
 * @throws Refused, Unreachable; Error where the audit could not be done, or nobody waits for it any more
 */
export async function audited(client: ApiClient, isFixing: boolean, signal: AbortSignal): Promise<Report> {
  const begun = await client.post('/windlass/v1/audits', { fix: isFixing });
  const path = pathOfLink(begun.headers.get('Location') ?? '');
  for (let wait = FIRST; !signal.aborted; wait = EACH) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const { state, report, error } = (await (await client.send('GET', path)).json()) as Audit;
    if (state === 'PENDING') continue;
    if (report !== null) return report;
    throw new Error(error?.detail ?? `the audit is ${state}`);
  }
  throw new Error('nobody waits for the audit any more');
}
