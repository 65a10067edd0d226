import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Instance } from '../api/types.js';
import { Name } from '../components/elements.js';
import { bodyIn } from '../state/actions.js';
import { Field } from './sign-in.js';

/** Fields for the usual members of a request. They change its text, which is what is sent. */
export interface FieldsProps {
  instance: Instance;
  text: string;
  set: (text: string) => void;
}

const memberOf = (text: string): Record<string, unknown> => {
  const read = bodyIn(text);
  return 'body' in read ? (read.body as Record<string, unknown>) : {};
};

const changed = (text: string, members: Record<string, unknown>): string =>
  JSON.stringify({ ...memberOf(text), ...members }, null, 2);

/** Which aspect, which way, how far. */
export function ScaleFields({ instance, text, set }: FieldsProps): JSX.Element {
  const [aspect, way] = [useId(), useId()];
  const { aspectId, type, numberOfSteps } = memberOf(text);
  const aspects = instance.instantiatedVnfInfo?.scaleStatus ?? [];
  return (
    <div class="line">
      <div class="field">
        <label for={aspect}>Aspect</label>
        <select
          id={aspect}
          value={String(aspectId)}
          onChange={(event) => set(changed(text, { aspectId: event.currentTarget.value }))}
        >
          {aspects.map(({ aspectId: name, scaleLevel }) => (
            <option key={name} value={name}>
              {name.slice(0, 200)} (level {scaleLevel})
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for={way}>Which way</label>
        <select id={way} value={String(type)} onChange={(event) => set(changed(text, { type: event.currentTarget.value }))}>
          <option value="SCALE_OUT">out: more VMs</option>
          <option value="SCALE_IN">in: fewer VMs</option>
        </select>
      </div>
      <Field
        label="Steps"
        type="number"
        value={String(numberOfSteps)}
        set={(steps) => set(changed(text, { numberOfSteps: Number(steps) }))}
      />
    </div>
  );
}

/** Which VMs; none of them means all. */
export function HealFields({ instance, text, set }: FieldsProps): JSX.Element {
  const { vnfcInstanceId } = memberOf(text);
  const chosen = Array.isArray(vnfcInstanceId) ? (vnfcInstanceId as unknown[]) : [];
  const choose = (id: string, isChosen: boolean): void =>
    set(changed(text, { vnfcInstanceId: isChosen ? [...chosen, id] : chosen.filter((each) => each !== id) }));
  return (
    <fieldset class="ways">
      <legend>VMs to replace</legend>
      {(instance.instantiatedVnfInfo?.vnfcResourceInfo ?? []).map(({ id, vduId }) => (
        <label key={id}>
          <input type="checkbox" checked={chosen.includes(id)} onChange={(event) => choose(id, event.currentTarget.checked)} />{' '}
          <Name text={vduId} /> <code>{id.slice(0, 8)}</code>
        </label>
      ))}
    </fieldset>
  );
}
