import type { JSX } from 'preact';
import type { Operation, Step } from '../api/types.js';
import { pathOf } from '../api/client.js';
import { Id, Name, Problem, Section, State, Table } from '../components/elements.js';
import { causeText, failureText } from '../state/failing.js';
import { affectedResources } from '../state/affected-resources.js';
import { hrefOf } from '../state/route.js';
import { useLoaded } from '../state/use-loaded.js';
import { Done } from './overview.js';

/** The operation of an instance that has not ended: nothing else can be asked for until then. */
export function OpenOperation({ operation }: { operation: Operation }): JSX.Element {
  const { id, operation: kind, operationState, failure } = operation;
  const link = <a href={hrefOf('operations', id)}>{kind}</a>;
  if (operationState !== 'FAILED_TEMP')
    return (
      <>
        <p class="open">
          Its {link} goes on: <State state={operationState} /> <Done operation={operation} />
        </p>
        <AffectedResources operation={operation} />
      </>
    );
  return (
    <>
      <div class="failure">
        <p class="where">
          <span aria-hidden="true">✘ </span>Its <strong>{link}</strong> waits for a decision
          {failure !== undefined && (
            <>
              {': '}
              <Name text={failureText(failure)} />
            </>
          )}
        </p>
        <p class="line">
          <bdi class="name">{causeText(operation)}</bdi>
        </p>
        <p>
          <a href={hrefOf('operations', id)}>What to do first</a> stands on its page.
        </p>
      </div>
      <AffectedResources operation={operation} />
    </>
  );
}

const HEADS = ['What', 'Kind', 'Address', 'At the VIM', 'Change'];

/** What it has made or changed so far, by its own record. */
function AffectedResources({ operation }: { operation: Operation }): JSX.Element | null {
  const { id, operationState, operation: kind, steps, failure } = operation;
  const { value, error } = useLoaded(
    async (client) => {
      const opOcc = await client.get('/vnflcm/v1/vnf_lcm_op_occs/{id}', { id });
      const { items } = await client.page<Step>(pathOf('/windlass/v1/operations/{id}/steps', { id }));
      return affectedResources(opOcc, items);
    },
    [id, operationState, steps.done],
  );
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined || value.length === 0) return null;
  const isFailed = (id: string): boolean =>
    operationState === 'FAILED_TEMP' && failure?.machines.some(({ vnfcId }) => vnfcId === id) === true;
  return (
    <Section title={`What ${kind} has made so far (${value.length})`}>
      <Table label="What the operation has made so far" heads={HEADS}>
        {value.map((each) => (
          <tr key={each.id} class={isFailed(each.id) ? 'broken' : undefined}>
            <th scope="row">
              <Name text={each.name} />
              {isFailed(each.id) && <span class="bad-text"> ✘ failed here</span>}
            </th>
            <td>{each.kind}</td>
            <td>
              <code>
                <Name text={each.address} />
              </code>
            </td>
            <td>
              <Id id={each.resource} />
            </td>
            <td>{each.change}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
