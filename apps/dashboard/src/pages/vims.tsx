import type { JSX } from 'preact';
import type { Vim } from '../api/types.js';
import { Name, Nothing, Problem, State, Table } from '../parts/parts.js';
import { useLoaded } from '../state/use-loaded.js';

/** The VIMs of the project. */
export function VimsPage(): JSX.Element {
  const { value, error } = useLoaded((client) => client.get('/v1.0/vims'), []);
  return (
    <>
      <h1>VIMs</h1>
      <Problem error={error} />
      {value !== undefined && <VimTable vims={value.vims} />}
    </>
  );
}

/** VIMs, a line each. */
export function VimTable({ vims }: { vims: readonly Vim[] }): JSX.Element {
  if (vims.length === 0) return <Nothing>No VIM is registered. ./windlass vim register does it.</Nothing>;
  return (
    <Table label="VIMs" heads={['Name', 'Kind', 'Status', 'Address', 'Default']}>
      {vims.map(({ id, name = '', type = '', status = '', auth_url: address = '', is_default: isDefault }) => (
        <tr key={id}>
          <td>
            <Name text={name} />
          </td>
          <td>{type}</td>
          <td>
            <State state={status} />
          </td>
          <td>
            <Name text={address} />
          </td>
          <td>{isDefault === true ? 'yes' : ''}</td>
        </tr>
      ))}
    </Table>
  );
}
