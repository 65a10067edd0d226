import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Problem } from '../components/elements.js';
import { signIn, type Way } from '../state/session.js';

const WAYS: readonly { way: Way; label: string; secret: string; hint: string }[] = [
  {
    way: 'token',
    label: 'Token',
    secret: 'Token',
    hint: 'A token of Windlass, or one of Keystone (openstack token issue). ./windlass up names the file of its own.',
  },
  {
    way: 'bearer',
    label: 'OAuth2',
    secret: 'Access token',
    hint: 'An access token (JWT) of the issuer that Windlass is told of.',
  },
  { way: 'basic', label: 'User and password', secret: 'Password', hint: 'A user of the file of users.' },
];

/** Asks who one is. Nothing of it is kept but in this tab's memory. */
export function SignIn({ isAgain = false }: { isAgain?: boolean }): JSX.Element {
  const [way, setWay] = useState<Way>('token');
  const [user, setUser] = useState('');
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const [isAsked, setIsAsked] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    setIsAsked(true);
    setError(undefined);
    signIn({ way, user, secret: secret.trim() })
      .catch(setError)
      .finally(() => setIsAsked(false));
  };
  const form = (
    <form onSubmit={submit} class="sign-in">
      <Ways way={way} choose={setWay} />
      {way === 'basic' && <Field label="User" value={user} set={setUser} autocomplete="username" />}
      <Secret way={way} value={secret} set={setSecret} />
      <Problem error={error} />
      <button type="submit" disabled={isAsked || secret.trim() === ''}>
        {isAsked ? 'Asking…' : 'Sign in'}
      </button>
      <p class="hint">It is kept in this tab’s memory alone: a reload asks again, and shows the same page.</p>
    </form>
  );
  if (isAgain) return form;
  return (
    <main class="door">
      <h1>Windlass</h1>
      {form}
    </main>
  );
}

function Ways({ way, choose }: { way: Way; choose: (way: Way) => void }): JSX.Element {
  return (
    <fieldset class="ways">
      <legend>Sign in with</legend>
      {WAYS.map((each) => (
        <label key={each.way}>
          <input type="radio" name="way" checked={each.way === way} onChange={() => choose(each.way)} /> {each.label}
        </label>
      ))}
    </fieldset>
  );
}

function Secret({ way, value, set }: { way: Way; value: string; set: (text: string) => void }): JSX.Element {
  const { secret, hint } = WAYS.find((each) => each.way === way) ?? { secret: 'Token', hint: '' };
  return <Field label={secret} hint={hint} value={value} set={set} type="password" autocomplete="current-password" />;
}

interface FieldProps {
  label: string;
  value: string;
  set: (text: string) => void;
  hint?: string;
  type?: 'text' | 'password' | 'number';
  autocomplete?: string;
}

/** A labelled line of input. */
export function Field({ label, value, set, hint, type = 'text', autocomplete = 'off' }: FieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type as 'text'}
        value={value}
        autocomplete={autocomplete as 'off'}
        spellcheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
