import type { JSX } from 'preact';
import type { Operation } from '../api/types.js';
import { Name, State } from '../components/elements.js';
import { hrefOf } from '../state/route.js';

/** The heads of the cells below. */
export const OPERATION_HEADS = ['Operation', 'State', 'Instance'] as const;

interface OperationCellsProps {
  operation: Pick<Operation, 'id' | 'operation' | 'operationState' | 'vnfInstanceId' | 'isCancelPending'>;
  /** Names of instances by their ids. */
  names: ReadonlyMap<string, string>;
}

/** What an operation is, how it stands, and of which instance: the first cells of each table of operations. */
export function OperationCells({ operation: each, names }: OperationCellsProps): JSX.Element {
  return (
    <>
      <td>
        <a href={hrefOf('operations', each.id)}>{each.operation}</a>
      </td>
      <td>
        <State state={each.operationState} />
        {each.isCancelPending && <span class="hint"> cancel pending</span>}
      </td>
      <td>
        <a href={hrefOf('instances', each.vnfInstanceId)}>
          <Name text={names.get(each.vnfInstanceId) ?? each.vnfInstanceId} />
        </a>
      </td>
    </>
  );
}
