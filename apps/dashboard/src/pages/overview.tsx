import type { JSX } from 'preact';
import type { Operation } from '../api/types.js';
import { Live, Name, Nothing, Problem, Section, Table } from '../components/elements.js';
import { causeText, failureText } from '../state/failing.js';
import { hrefOf } from '../state/route.js';
import { isFinal, OperationsModel } from '../state/steps.js';
import { useInstanceNames } from '../state/instance-names.js';
import { isAdmin, session } from '../state/session.js';
import { useLive } from '../state/use-live.js';
import { useLoaded } from '../state/use-loaded.js';
import { moment } from '../state/words.js';
import { OPERATION_HEADS, OperationCells } from './operation-cells.js';
import { Certificates, Services } from './overview-sections.js';
import { VimTable } from './vims.js';

/** What runs, what waits for a person, and the VIMs. */
export function OverviewPage(): JSX.Element {
  const { model, state, error } = useLive('/windlass/v1/events', () => new OperationsModel());
  const who = session.value?.who;
  const { operations } = model;
  const failed = operations.filter(({ operationState }) => operationState === 'FAILED_TEMP');
  const run = operations.filter((each) => !isFinal(each) && each.operationState !== 'FAILED_TEMP');
  const ended = operations.filter(isFinal);
  const names = useInstanceNames(operations.map(({ vnfInstanceId }) => vnfInstanceId));
  const vims = useLoaded((client) => client.get('/v1.0/vims'), []);
  return (
    <>
      <div class="heading">
        <h1>Overview</h1>
        <Live state={state} />
      </div>
      <Problem error={error} />
      <p class="counts" role="status">
        <b>{failed.length}</b> {failed.length === 1 ? 'waits' : 'wait'} for a decision · <b>{run.length}</b> running
      </p>
      <Section title="Waits for a decision">
        {failed.length === 0 ? (
          <Nothing>Nothing: no operation has failed and stands.</Nothing>
        ) : (
          <FailedOperations all={failed} names={names} />
        )}
      </Section>
      <Section title="Running">
        {run.length === 0 ? (
          <Nothing>No operation runs.</Nothing>
        ) : (
          <Operations label="Operations that run" all={run} names={names} />
        )}
      </Section>
      {ended.length > 0 && (
        <Section title="Ended while you looked">
          <Operations label="Operations that ended" all={ended} names={names} />
        </Section>
      )}
      <Certificates />
      <Section title="VIMs">
        <Problem error={vims.error} />
        {vims.value !== undefined && <VimTable vims={vims.value.vims} />}
      </Section>
      {who !== undefined && isAdmin(who) && <Services />}
    </>
  );
}

interface OperationsProps {
  label: string;
  all: readonly Operation[];
  names: ReadonlyMap<string, string>;
}

function Operations({ label, all, names }: OperationsProps): JSX.Element {
  return (
    <Table label={label} heads={[...OPERATION_HEADS, 'Steps', 'Since', 'Says']}>
      {all.map((each) => (
        <tr key={each.id}>
          <OperationCells operation={each} names={names} />
          <td>
            <Done operation={each} />
          </td>
          <td class="when">{moment(each.stateEnteredTime)}</td>
          <td class="says">
            <Name text={each.error?.detail ?? each.warnings?.[0] ?? ''} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Each with where it failed and why: the first cell leads to the page that says what to do. On a telephone each is a card. */
const FailedOperations = ({ all, names }: Omit<OperationsProps, 'label'>): JSX.Element => (
  <div class="cards">
    <Table label="Operations that wait for a decision" heads={['Failed', 'Cause', 'Operation', 'Instance', 'Since']}>
      {all.map((each) => (
        <tr key={each.id} class="broken">
          <td class="says">
            <a class="way" href={hrefOf('operations', each.id)}>
              <Name text={each.failure === undefined ? `${each.operation} failed` : failureText(each.failure)} />
            </a>
          </td>
          <td class="says">
            <Name text={causeText(each)} />
          </td>
          <td>{each.operation}</td>
          <td>
            <a href={hrefOf('instances', each.vnfInstanceId)}>
              <Name text={names.get(each.vnfInstanceId) ?? each.vnfInstanceId} />
            </a>
          </td>
          <td class="when">{moment(each.stateEnteredTime)}</td>
        </tr>
      ))}
    </Table>
  </div>
);

/** How far it is. */
export const Done = ({ operation: { steps } }: { operation: Pick<Operation, 'steps'> }): JSX.Element => (
  <span class="done">
    <progress value={steps.done} max={Math.max(1, steps.total)} aria-label="steps that are done" /> {steps.done} of {steps.total}
    {steps.failed > 0 && <span class="bad-text"> · {steps.failed} failed</span>}
    {steps.undone > 0 && <span> · {steps.undone} undone</span>}
  </span>
);
