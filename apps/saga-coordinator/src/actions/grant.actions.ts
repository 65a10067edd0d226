import { describeDuration, hours, millis, seconds, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import { awaitGrantAction, requestGrantAction, type LcmStore } from '@windlass/lifecycle';
import { implementAction, type ActionRetry, type InputOf, type StepRun } from '@windlass/saga';
import type { NfvoClient } from '../nfvo/nfvo-client.js';

export interface GrantActionContext<Input> {
  run: StepRun<Input>;
  store: LcmStore;
  /** Undefined where this coordinator has no NFVO configured. */
  nfvo: NfvoClient | undefined;
}

/**
 * The time decides when to give up ({@link later}), not the number of attempts. Between two attempts nothing runs, so a cancel takes effect at once.
 */
const UNTIL_TOO_LATE: ActionRetry = { attempts: 1_000_000, backoff: millis(1) };

/** The longest pause before an NFVO that is away is asked again. */
const LONGEST_BACKOFF = seconds(30);

/** Asks; what it answered is journaled with the step. */
export const requestGrant = implementAction(requestGrantAction, {
  apply: async ({ run, store, nfvo }: GrantActionContext<InputOf<typeof requestGrantAction>>) => {
    run.progress('asking the NFVO');
    return trying(run, store, nfvo, (client) =>
      client.ask(run.input.request, { again: run.resumed || run.attempt > 1, signal: run.signal }),
    );
  },
  retry: UNTIL_TOO_LATE,
});

/** Looks once an attempt, and leaves the step ready in between. */
export const awaitGrant = implementAction(awaitGrantAction, {
  apply: async ({ run, store, nfvo }: GrantActionContext<InputOf<typeof awaitGrantAction>>) => {
    const { asked } = run.input;
    if ('grant' in asked) return asked;
    return trying(run, store, nfvo, async (client) => {
      const found = await client.look(asked.location, run.signal);
      if ('grant' in found) return found;
      const { pause = client.settingsOfWaiting.askAgainEvery } = found;
      throw new TransientError('grant.undecided', 'the NFVO has not decided yet', { retryAfter: pause });
    });
  },
  retry: UNTIL_TOO_LATE,
});

/** Tries again after errors that may pass, until the operation has waited for long enough since its start. */
async function trying<T>(
  run: StepRun<unknown>,
  store: LcmStore,
  nfvo: NfvoClient | undefined,
  attempt: (client: NfvoClient) => Promise<T>,
): Promise<T> {
  const grantWithin = nfvo?.settingsOfWaiting.grantWithin ?? hours(1);
  try {
    if (nfvo === undefined) {
      throw new TransientError(
        'grant.no-nfvo',
        'the operation began with an NFVO to ask, and this coordinator was told of none: give NFVO_URL',
      );
    }
    return await attempt(nfvo);
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    const waited = await store.transact((handle) => store.ageOfOpOcc(handle, run.operationId));
    throw later(error, { waited, grantWithin, attempt: run.attempt });
  }
}

/** The error with the pause before the next attempt, or the end of all attempts. */
function later(
  error: TransientError,
  { waited, grantWithin, attempt }: { waited: Duration; grantWithin: Duration; attempt: number },
): TransientError | TerminalError {
  if (waited >= grantWithin) {
    const detail = `no grant within ${describeDuration(grantWithin)}: ${error.message}. Nothing was made; ask for the operation again`;
    return new TerminalError('grant.too-late', detail, { status: 504, title: 'Grant failed' });
  }
  const backoff = Math.min(LONGEST_BACKOFF, 1_000 * 2 ** Math.min(attempt - 1, 10));
  const retryAfter = millis(Math.min(error.retryAfter ?? backoff, grantWithin - waited));
  return new TransientError(error.code, error.message, { retryAfter });
}
