import type { JSX } from 'preact';
import { Name, Nothing, Problem, Table } from '../components/elements.js';
import { useLoaded } from '../state/use-loaded.js';
import { durationText, moment } from '../state/words.js';

/** How deliveries go to a subscription (docs/contracts/rest-extensions.md). */
interface Deliveries {
  id: string;
  api: string;
  callbackUri: string;
  pending: number;
  /** Seconds. */
  oldestAge: number;
  attempts: number;
  retryAt: string | null;
  delivered: number;
  dropped: number;
  lastFailureAt: string | null;
  lastFailure: string | null;
}

/** The subscriptions of the project: what is not delivered, and why. */
export function SubscriptionsPage(): JSX.Element {
  const { value, error, again } = useLoaded(
    async (client) => (await client.page<Deliveries>('/windlass/v1/subscriptions')).items,
    [],
  );
  return (
    <>
      <h1>Subscriptions</h1>
      <Problem error={error} />
      {value?.length === 0 && <Nothing>Nobody has subscribed.</Nothing>}
      {value !== undefined && value.length > 0 && (
        <Table label="Subscriptions" heads={['To', 'Of', 'Delivered', 'Waiting', 'Why it waits', 'Dropped']}>
          {value.map((each) => (
            <SubscriptionRow key={each.id} shown={each} />
          ))}
        </Table>
      )}
      <div class="pager">
        <button type="button" class="quiet" onClick={again}>
          Look again
        </button>
      </div>
    </>
  );
}

function SubscriptionRow({ shown }: { shown: Deliveries }): JSX.Element {
  const { api, callbackUri, pending, oldestAge, attempts, retryAt, delivered, dropped, lastFailureAt, lastFailure } = shown;
  const waits = pending > 0 && attempts > 0;
  return (
    <tr>
      <th scope="row">
        <Name text={callbackUri} />
      </th>
      <td>{api}</td>
      <td>{delivered}</td>
      <td>{pending === 0 ? 'none' : `${pending}, the oldest for ${durationText(oldestAge * 1_000)}`}</td>
      <td class="says">
        {waits && (
          <>
            {attempts} failed in a row{retryAt === null ? '' : `, again at ${moment(retryAt)}`}:{' '}
          </>
        )}
        {lastFailure !== null && lastFailureAt !== null && (
          <>
            {!waits && `last failure, ${moment(lastFailureAt)}: `}
            <Name text={lastFailure} />
          </>
        )}
      </td>
      <td>{dropped}</td>
    </tr>
  );
}
