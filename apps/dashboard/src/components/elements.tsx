import type { ComponentChildren, JSX } from 'preact';
import { messageOf, Refused } from '../api/client.js';
import type { LiveState } from '../api/live.js';
import { SIGNS, type StepStatus } from '../state/words.js';

/** Characters of a name that are drawn; the rest is in the tooltip, up to what a tooltip is for. */
const DRAWN = 200;
const TOOLTIP = 2_000;

/**
 * A name that a stranger chose: as text, with a direction of its own, so that right-to-left letters turn nothing around them; a long one is cut.
 */
export function Name({ text }: { text: string }): JSX.Element {
  return (
    <bdi class="name" title={text.length > DRAWN ? text.slice(0, TOOLTIP) : undefined}>
      {text.length > DRAWN ? `${text.slice(0, DRAWN)}…` : text}
    </bdi>
  );
}

/** An id: short, the whole of it in the tooltip and for copying. */
export const Id = ({ id }: { id: string }): JSX.Element => (
  <code class="id" title={id}>
    {/^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id}
  </code>
);

/** States of an operation or an instance, with what they look like. */
const TONES: Readonly<Record<string, string>> = {
  COMPLETED: 'good',
  ONBOARDED: 'good',
  ACTIVE: 'good',
  REACHABLE: 'good',
  INSTANTIATED: 'good',
  STARTED: 'good',
  FAILED: 'bad',
  FAILED_TEMP: 'bad',
  ERROR: 'bad',
  UNREACHABLE: 'bad',
  PROCESSING: 'busy',
  STARTING: 'busy',
  ROLLING_BACK: 'undo',
  ROLLED_BACK: 'undo',
  PENDING: 'undo',
  DONE: 'good',
};

/** A state as a word in a frame. */
export const State = ({ state }: { state: string }): JSX.Element => (
  <span class={`state ${TONES[state] ?? 'idle'}`}>{state}</span>
);

/** A step's status: sign and word. */
export const StatusMark = ({ status, isShort = false }: { status: StepStatus; isShort?: boolean }): JSX.Element => (
  <span class={`stands ${status}`}>
    <span aria-hidden="true" class="sign">
      {SIGNS[status].sign}
    </span>{' '}
    <span class={isShort ? 'unseen' : ''}>{SIGNS[status].word}</span>
  </span>
);

const LIVE: Readonly<Record<LiveState, string>> = {
  connecting: 'connecting',
  live: 'live',
  broken: 'connection lost, trying again',
  polling: 'no live events, asked each 5 s',
  ended: 'ended',
};

/** Whether what is shown is of now. Changes are said aloud. */
export const Live = ({ state }: { state: LiveState }): JSX.Element => (
  <span class={`link ${state}`} role="status">
    {LIVE[state]}
  </span>
);

/** What could not be had, and why. */
export function Problem({ error }: { error: unknown }): JSX.Element | null {
  if (error === undefined) return null;
  const needsRole = error instanceof Refused && error.status === 403;
  return (
    <p class="problem" role="alert">
      <strong>{needsRole ? 'Not for you' : 'That did not work'}</strong> <span class="text">{messageOf(error)}</span>
    </p>
  );
}

/** A part of a page. */
export const Section = ({
  title,
  children,
  aside,
}: {
  title: string;
  children: ComponentChildren;
  aside?: ComponentChildren;
}): JSX.Element => (
  <section>
    <div class="heading">
      <h2>{title}</h2>
      {aside}
    </div>
    {children}
  </section>
);

/** A table that scrolls by itself where it is wider than the page, by keyboard too. */
export const Table = ({
  label,
  heads,
  children,
}: {
  label: string;
  heads: readonly string[];
  children: ComponentChildren;
}): JSX.Element => (
  <div class="wide" role="region" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

/** What is there instead of an empty table. */
export const Nothing = ({ children }: { children: ComponentChildren }): JSX.Element => <p class="nothing">{children}</p>;
