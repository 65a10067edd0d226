import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { pathOfLink } from '../api/client.js';
import type { Instance, Plan } from '../api/types.js';
import { Dialog } from '../components/dialog.js';
import { Problem } from '../components/elements.js';
import { ACTION_NAMES, ACTIONS, bodyIn, firstBody, type ActionName } from '../state/actions.js';
import { hrefOf } from '../state/route.js';
import { mayOperate, session } from '../state/session.js';
import { PlanView } from './plan-view.js';
import { HealFields, ScaleFields, type FieldsProps } from './request-fields.js';

type Links = Readonly<Record<string, { href: string } | undefined>>;

/** What can be asked of an instance now: what its links offer, and nothing else. */
export function Actions({ instance }: { instance: Instance }): JSX.Element | null {
  const [asked, setAsked] = useState<ActionName | undefined>(undefined);
  const links = (instance._links ?? {}) as Links;
  const who = session.value?.who;
  const offered = ACTION_NAMES.filter((name) => links[name] !== undefined);
  const href = asked === undefined ? undefined : links[asked]?.href;
  if (offered.length === 0 || who === undefined || !mayOperate(who)) return null;
  return (
    <>
      <div class="buttons" role="group" aria-label="What can be asked for">
        {offered.map((name) => (
          <button key={name} type="button" class="quiet" title={ACTIONS[name].says} onClick={() => setAsked(name)}>
            {ACTIONS[name].label}…
          </button>
        ))}
      </div>
      {asked !== undefined && href !== undefined && (
        <Request key={asked} name={asked} path={pathOfLink(href)} instance={instance} close={() => setAsked(undefined)} />
      )}
    </>
  );
}

interface RequestProps {
  name: ActionName;
  path: string;
  instance: Instance;
  close: () => void;
}

/** First what it would do, then the click that asks for it: of exactly the body whose plan is shown. */
function Request({ name, path, instance, close }: RequestProps): JSX.Element {
  const aspects = (instance.instantiatedVnfInfo?.scaleStatus ?? []).map(({ aspectId }) => aspectId);
  const [text, setText] = useState(() => JSON.stringify(firstBody(name, { aspects }), null, 2));
  const [planned, setPlanned] = useState<{ text: string; plan: Plan } | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isAsked, setIsAsked] = useState(false);
  const read = bodyIn(text);
  const fresh = planned?.text === text ? planned.plan : undefined;
  const send = (to: string, then: (answer: Response) => Promise<void>): void => {
    const client = session.value?.client;
    if (client === undefined || !('body' in read)) return;
    setIsAsked(true);
    setError(undefined);
    client
      .post(to, read.body)
      .then(then)
      .catch(setError)
      .finally(() => setIsAsked(false));
  };
  const plan = (): void =>
    send(`/windlass/v1/plans${path}`, async (answer) => setPlanned({ text, plan: (await answer.json()) as Plan }));
  const ask = (): void =>
    send(path, (answer) => {
      close();
      const id = (answer.headers.get('Location') ?? '').split('/').at(-1);
      if (id !== undefined && id !== '') location.hash = hrefOf('operations', id);
      return Promise.resolve();
    });
  const { label, says } = ACTIONS[name];
  return (
    <Dialog title={label} onClose={close}>
      <p>{says}</p>
      <RequestBody name={name} instance={instance} text={text} set={setText} />
      {'wrong' in read && <p class="problem">{read.wrong}</p>}
      <Problem error={error} />
      {fresh !== undefined && <PlanView plan={fresh} />}
      <div class="buttons">
        <button type="button" class={fresh === undefined ? '' : 'quiet'} onClick={plan} disabled={isAsked || !('body' in read)}>
          Show what it would do
        </button>
        <button type="button" onClick={ask} disabled={isAsked || fresh === undefined}>
          {label}
        </button>
        <button type="button" class="quiet" onClick={close}>
          Leave it
        </button>
      </div>
      {fresh === undefined && (
        <p class="hint">It can be asked for once you have seen what it would do. Until then nothing is changed.</p>
      )}
    </Dialog>
  );
}

interface RequestBodyProps extends FieldsProps {
  name: ActionName;
}

function RequestBody({ name, ...fields }: RequestBodyProps): JSX.Element {
  const id = useId();
  return (
    <>
      {name === 'scale' && <ScaleFields {...fields} />}
      {name === 'heal' && <HealFields {...fields} />}
      <div class="field">
        <label for={id}>The request, as the API takes it</label>
        <textarea
          id={id}
          rows={Math.min(16, fields.text.split('\n').length + 1)}
          spellcheck={false}
          value={fields.text}
          onInput={(event) => fields.set(event.currentTarget.value)}
        />
      </div>
    </>
  );
}
