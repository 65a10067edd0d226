import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operation } from '../api/types.js';
import { pathOfLink } from '../api/client.js';
import { Confirm } from '../components/confirm.js';
import { Problem } from '../components/elements.js';
import { inOrder } from '../state/failing.js';
import { deletedText } from '../state/affected-resources.js';
import { mayOperate, session } from '../state/session.js';
import { useLoaded } from '../state/use-loaded.js';
import { TASKS, type TaskName } from '../state/words.js';

const NAMES = Object.keys(TASKS) as TaskName[];

interface TasksProps {
  operation: Operation;
  /** What the error says leads on: it comes first, and it alone catches the eye. */
  leadsOn?: TaskName | undefined;
  /** When it does, where the error tells. */
  when?: string | undefined;
}

/** What a person can do about an operation now: what its links offer, and nothing else. */
export function Tasks({ operation, leadsOn, when }: TasksProps): JSX.Element | null {
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
  const deletes = asked === 'rollback' && occurrence.value !== undefined ? deletedText(occurrence.value) : undefined;
  if (offered.length === 0 || who === undefined || !mayOperate(who)) return <Problem error={occurrence.error} />;
  return (
    <>
      {when !== undefined && leadsOn !== undefined && offered.includes(leadsOn) && (
        <p class="when">
          <bdi>{when}</bdi>: <strong>{TASKS[leadsOn].label}</strong>
        </p>
      )}
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
      {asked !== undefined && href !== undefined && (
        <ConfirmTask name={asked} href={href} deletes={deletes} close={() => setAsked(undefined)} />
      )}
    </>
  );
}

interface ConfirmTaskProps {
  name: TaskName;
  href: string;
  /** What it deletes, where it does and that is known. */
  deletes: string | undefined;
  close: () => void;
}

function ConfirmTask({ name, href, deletes, close }: ConfirmTaskProps): JSX.Element {
  const [isForceful, setIsForceful] = useState(false);
  const body = name === 'cancel' ? { cancelMode: isForceful ? 'FORCEFUL' : 'GRACEFUL' } : {};
  return (
    <Confirm
      title={`${TASKS[name].label} this operation?`}
      label={TASKS[name].label}
      ask={(client) => client.post(pathOfLink(href), body)}
      onDone={close}
      close={close}
    >
      <p>
        {TASKS[name].says} {TASKS[name].more}
      </p>
      {deletes !== undefined && (
        <p>
          It deletes what the operation has made: <strong>{deletes}</strong>. What is on them is lost.
        </p>
      )}
      {name === 'cancel' && (
        <label class="toggle">
          <input type="checkbox" checked={isForceful} onChange={(event) => setIsForceful(event.currentTarget.checked)} />{' '}
          forceful: end what runs, on hosts too, instead of letting it end
        </label>
      )}
    </Confirm>
  );
}
