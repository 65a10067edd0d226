import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { pathOf } from '../api/client.js';
import type { OpOcc } from '../api/types.js';
import { Paged } from '../components/paged.js';
import { Nothing, Problem, Table } from '../components/elements.js';
import { useInstanceNames } from '../state/instance-names.js';
import { useLoaded } from '../state/use-loaded.js';
import { moment } from '../state/words.js';
import { OPERATION_HEADS, OperationCells } from './operation-cells.js';

const OP_OCCS = '/vnflcm/v1/vnf_lcm_op_occs';

const DAY = 24 * 60 * 60 * 1_000;

const LISTS = [
  { title: 'Not ended', filter: () => '(in,operationState,STARTING,PROCESSING,ROLLING_BACK,FAILED_TEMP)' },
  { title: 'Begun in the last day', filter: () => `(gte,startTime,${new Date(Date.now() - DAY).toISOString()})` },
  { title: 'All', filter: () => '' },
] as const;

/** So many are put into an order here: the API pages by id. */
const MOST = 500;

/** Operation occurrences of the project. */
export function OperationsPage(): JSX.Element {
  const [chosen, setChosen] = useState<string>(LISTS[0].title);
  const [filter, setFilter] = useState<string>(LISTS[0].filter);
  const choose = (title: string, of: string): void => {
    setChosen(title);
    setFilter(of);
  };
  return (
    <>
      <h1>Operations</h1>
      <div class="choices" role="group" aria-label="Which operations">
        {LISTS.map(({ title, filter: of }) => (
          <button key={title} type="button" class="quiet" aria-pressed={title === chosen} onClick={() => choose(title, of())}>
            {title}
          </button>
        ))}
      </div>
      {filter === '' ? (
        <Paged<OpOcc> path={pathOf(OP_OCCS)} nothing="No operation.">
          {(all) => <OperationTable all={all} />}
        </Paged>
      ) : (
        <OperationList filter={filter} />
      )}
    </>
  );
}

/** The operation occurrences of a filter of SOL013, the newest first. */
export function OperationList({ filter }: { filter: string }): JSX.Element {
  const { value, error } = useLoaded((client) => client.all<OpOcc>(pathOf(OP_OCCS, {}, { filter }), MOST), [filter]);
  return (
    <>
      <Problem error={error} />
      {value?.length === 0 && <Nothing>No operation.</Nothing>}
      {value !== undefined && value.length > 0 && <OperationTable all={value} />}
      {value !== undefined && value.length >= MOST && <p class="hint">There may be more: these are {value.length} of them.</p>}
    </>
  );
}

function OperationTable({ all }: { all: readonly OpOcc[] }): JSX.Element {
  const names = useInstanceNames(all.map(({ vnfInstanceId }) => vnfInstanceId));
  const shown = all.toSorted((one, other) => other.startTime.localeCompare(one.startTime));
  return (
    <Table label="Operations" heads={[...OPERATION_HEADS, 'Begun', 'In its state since']}>
      {shown.map((each) => (
        <tr key={each.id}>
          <OperationCells operation={each} names={names} />
          <td class="when">{moment(each.startTime)}</td>
          <td class="when">{moment(each.stateEnteredTime)}</td>
        </tr>
      ))}
    </Table>
  );
}
