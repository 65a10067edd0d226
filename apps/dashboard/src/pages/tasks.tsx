import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operation } from '../api/types.js';
import { pathOfLink } from '../api/client.js';
import { Dialog } from '../parts/dialog.js';
import { Problem } from '../parts/parts.js';
import { inOrder } from '../state/failing.js';
import { mayOperate, session } from '../state/session.js';
import { useLoaded } from '../state/use-loaded.js';
import { TASKS, type TaskName } from '../state/words.js';

const NAMES = Object.keys(TASKS) as TaskName[];

interface TasksProps {
  operation: Operation;
  /** What the error says leads on: it comes first, and it alone catches the eye. */
  leadsOn?: TaskName | undefined;
}

/** What a person can do about an operation now: what its links offer, and nothing else. */
export function Tasks({ operation, leadsOn }: TasksProps): JSX.Element | null {
  const { id, operationState, isCancelPending } = operation;
  const [asked, setAsked] = useState<TaskName | undefined>(undefined);
  const occurrence = useLoaded(
    (client) => client.get('/vnflcm/v1/vnf_lcm_op_occs/{id}', { id }),
    [id, operationState, isCancelPending],
  );
  const who = session.value?.who;
  const links = (occurrence.value?._links ?? {}) as Readonly<Record<string, { href: string } | undefined>>;
  const offered = inOrder(
    NAMES.filter((name) => links[name] !== undefined),
    leadsOn,
  );
  const href = asked === undefined ? undefined : links[asked]?.href;
  if (offered.length === 0 || who === undefined || !mayOperate(who)) return <Problem error={occurrence.error} />;
  return (
    <>
      <dl class="tasks">
        {offered.map((name) => (
          <div key={name}>
            <dt>
              <button type="button" class={name === leadsOn ? '' : 'quiet'} onClick={() => setAsked(name)}>
                {TASKS[name].label}…
              </button>
            </dt>
            <dd>{TASKS[name].says}</dd>
          </div>
        ))}
      </dl>
      {asked !== undefined && href !== undefined && <Confirm name={asked} href={href} close={() => setAsked(undefined)} />}
    </>
  );
}

interface ConfirmProps {
  name: TaskName;
  href: string;
  close: () => void;
}

function Confirm({ name, href, close }: ConfirmProps): JSX.Element {
  const [error, setError] = useState<unknown>(undefined);
  const [isAsked, setIsAsked] = useState(false);
  const [isForceful, setIsForceful] = useState(false);
  const ask = (): void => {
    setIsAsked(true);
    const body = name === 'cancel' ? { cancelMode: isForceful ? 'FORCEFUL' : 'GRACEFUL' } : {};
    session.value?.client
      .post(pathOfLink(href), body)
      .then(close, setError)
      .finally(() => setIsAsked(false));
  };
  return (
    <Dialog title={`${TASKS[name].label} this operation?`} onClose={close}>
      <p>{TASKS[name].says}</p>
      {name === 'cancel' && (
        <label class="toggle">
          <input type="checkbox" checked={isForceful} onChange={(event) => setIsForceful(event.currentTarget.checked)} />{' '}
          forceful: end what runs, on hosts too, instead of letting it end
        </label>
      )}
      <Problem error={error} />
      <div class="buttons">
        <button type="button" onClick={ask} disabled={isAsked}>
          {TASKS[name].label}
        </button>
        <button type="button" class="quiet" onClick={close}>
          Leave it
        </button>
      </div>
    </Dialog>
  );
}
