import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { pathOf } from '../api/client.js';
import { Paged } from '../components/paged.js';
import { Name, State, Table } from '../components/elements.js';
import { hrefOf } from '../state/route.js';
import { moment } from '../state/words.js';
import { Field } from './sign-in.js';

/** An entry of the audit trail (docs/contracts/rest-extensions.md). */
interface Entry {
  id: string;
  at: string;
  kind: string;
  actor: string | null;
  method: string | null;
  resource: string | null;
  operation: string | null;
  operationId: string | null;
  status: number | null;
  code: string | null;
  operationState: string | null;
}

/** The audit trail, for admins; the newest entry first. */
export function TrailPage(): JSX.Element {
  const [actor, setActor] = useState('');
  const [asked, setAsked] = useState('');
  return (
    <>
      <h1>Audit trail</h1>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(actor.trim());
        }}
      >
        <Field label="Who asked (all of the name)" value={actor} set={setActor} />
        <button type="submit" class="quiet">
          Search
        </button>
      </form>
      <Paged<Entry>
        key={asked}
        path={pathOf('/windlass/v1/audit_trail', {}, asked === '' ? {} : { actor: asked })}
        nothing="No entry."
      >
        {(entries) => (
          <Table label="Entries of the audit trail" heads={['When', 'Who', 'What', 'Answer', 'Operation']}>
            {entries.map((each) => (
              <EntryRow key={each.id} entry={each} />
            ))}
          </Table>
        )}
      </Paged>
    </>
  );
}

function EntryRow({ entry }: { entry: Entry }): JSX.Element {
  const { at, kind, actor, method, resource, operation, operationId, status, code, operationState } = entry;
  return (
    <tr>
      <td class="when">{moment(at)}</td>
      <td>
        <Name text={actor ?? ''} />
      </td>
      <td>
        {kind === 'request' ? `${method ?? ''} ` : `${kind} `}
        <Name text={resource ?? ''} />
      </td>
      <td>
        {status ?? ''} <Name text={code ?? ''} />
        {operationState !== null && <State state={operationState} />}
      </td>
      <td>
        {operationId === null ? (operation ?? '') : <a href={hrefOf('operations', operationId)}>{operation ?? 'operation'}</a>}
      </td>
    </tr>
  );
}
