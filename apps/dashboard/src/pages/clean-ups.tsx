import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { pathOf } from '../api/client.js';
import type { CleanUp } from '../api/types.js';
import { Confirm } from '../components/confirm.js';
import { Dialog } from '../components/dialog.js';
import { Id, Name, Nothing, Problem, Section, State, Table } from '../components/elements.js';
import { audited, type Report } from '../state/audit.js';
import { hrefOf } from '../state/route.js';
import { session } from '../state/session.js';
import { useLoaded } from '../state/use-loaded.js';
import { moment } from '../state/words.js';
import { AuditReport } from './audit-report.js';

/** Clean-ups of what failed operations left, and what lies in VIMs that nobody owns; for admins. */
export function CleanUpsPage(): JSX.Element {
  const { value, error, again } = useLoaded(async (client) => (await client.page<CleanUp>('/windlass/v1/clean_ups')).items, []);
  const [given, setGiven] = useState<string | undefined>(undefined);
  const pending = (value ?? []).filter(({ state }) => state === 'PENDING');
  const shown = [...pending, ...(value ?? []).filter(({ state }) => state !== 'PENDING')];
  return (
    <>
      <h1>Clean-ups</h1>
      <Problem error={error} />
      {value !== undefined && (
        <p class="counts" role="status">
          <b>{pending.length}</b> not done
        </p>
      )}
      {value?.length === 0 && <Nothing>There was nothing to clean up.</Nothing>}
      {shown.length > 0 && (
        <Table label="Clean-ups" heads={['State', 'Removes', 'Of', 'Attempts', 'Why it is not done', 'Changed', 'Do']}>
          {shown.map((each) => (
            <CleanUpRow key={each.id} shown={each} giveUp={() => setGiven(each.id)} />
          ))}
        </Table>
      )}
      <div class="pager">
        <button type="button" class="quiet" onClick={again}>
          Look again
        </button>
      </div>
      <Audit onBegun={again} />
      {given !== undefined && (
        <GiveUp
          id={given}
          close={() => {
            setGiven(undefined);
            again();
          }}
        />
      )}
    </>
  );
}

function CleanUpRow({ shown, giveUp }: { shown: CleanUp; giveUp: () => void }): JSX.Element {
  const { state, stack, objects, images, vnfInstanceId, attempts, retryAt, error, changedAt } = shown;
  const removes = [
    ...(stack === null ? [] : [`stack ${stack}`]),
    ...objects.map(({ kind, name }) => `${kind} ${name}`),
    ...images.map((image) => `image ${image}`),
  ];
  return (
    <tr>
      <td>
        <State state={state} />
      </td>
      <td>
        <Name text={removes.join(', ')} />
      </td>
      <td>
        {vnfInstanceId !== null && (
          <a href={hrefOf('instances', vnfInstanceId)}>
            <Id id={vnfInstanceId} />
          </a>
        )}
      </td>
      <td>{attempts}</td>
      <td class="says">
        <Name text={error?.detail ?? ''} />
        {state === 'PENDING' && retryAt !== null && <span class="hint"> again at {moment(retryAt)}</span>}
      </td>
      <td class="when">{moment(changedAt)}</td>
      <td>
        {state === 'PENDING' && (
          <button type="button" class="quiet" onClick={giveUp}>
            Give up…
          </button>
        )}
      </td>
    </tr>
  );
}

/** Asked once more: what is given up stays in the VIM. */
function GiveUp({ id, close }: { id: string; close: () => void }): JSX.Element {
  return (
    <Confirm
      title="Give this clean-up up?"
      label="Give up"
      ask={(client) => client.post(pathOf('/windlass/v1/clean_ups/{id}/give_up', { id }), {})}
      onDone={close}
      close={close}
    >
      <p>What it was to remove stays in the VIM, and an audit tells of it. It is not tried again.</p>
    </Confirm>
  );
}

/** Compares the record with the VIMs, at a click. */
function Audit({ onBegun }: { onBegun: () => void }): JSX.Element {
  const [report, setReport] = useState<Report | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isAsked, setIsAsked] = useState(false);
  const [isSure, setIsSure] = useState(false);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  const begin = (isFixing: boolean): void => {
    const client = session.value?.client;
    if (client === undefined) return;
    setIsAsked(true);
    setIsSure(false);
    setError(undefined);
    audited(client, isFixing, left.current.signal)
      .then(setReport, setError)
      .finally(() => {
        setIsAsked(false);
        if (isFixing) onBegun();
      });
  };
  return (
    <Section title="Orphans: what lies in VIMs, against what is on record">
      <div class="buttons">
        <button type="button" disabled={isAsked} onClick={() => begin(false)}>
          {isAsked ? 'Being compared…' : 'Compare now'}
        </button>
        {report !== undefined && report.orphans.length > 0 && (
          <button type="button" class="quiet" disabled={isAsked} onClick={() => setIsSure(true)}>
            Remove orphans…
          </button>
        )}
        <span class="hint">It looks, and changes nothing.</span>
      </div>
      <Problem error={error} />
      {report !== undefined && <AuditReport report={report} />}
      {isSure && (
        <Dialog title="Remove orphans?" onClose={() => setIsSure(false)}>
          <p>
            It compares anew, and a clean-up removes each thing that carries the tag of this Windlass and is on no record of it.
            What is on them is lost.
          </p>
          <div class="buttons">
            <button type="button" onClick={() => begin(true)}>
              Remove them
            </button>
            <button type="button" class="quiet" onClick={() => setIsSure(false)}>
              Leave them
            </button>
          </div>
        </Dialog>
      )}
    </Section>
  );
}
