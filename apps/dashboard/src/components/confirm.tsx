import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiClient } from '../api/client.js';
import { session } from '../state/session.js';
import { Dialog } from './dialog.js';
import { Problem } from './elements.js';

interface ConfirmProps {
  title: string;
  /** Of the button that does it. */
  label: string;
  /** What the button asks of the API. It is not asked again before this has ended. */
  ask: (client: ApiClient) => Promise<unknown>;
  onDone: () => void;
  close: () => void;
  /** What it means, in sentences. */
  children: ComponentChildren;
}

/** Asked once more before something is done that can't be taken back. An error of the API is told in the dialog, which stays. */
export function Confirm({ title, label, ask, onDone, close, children }: ConfirmProps): JSX.Element {
  const [error, setError] = useState<unknown>(undefined);
  const [isAsked, setIsAsked] = useState(false);
  const act = (): void => {
    const client = session.value?.client;
    if (client === undefined) return;
    setIsAsked(true);
    void ask(client)
      .then(onDone, setError)
      .finally(() => setIsAsked(false));
  };
  return (
    <Dialog title={title} onClose={close}>
      {children}
      <Problem error={error} />
      <div class="buttons">
        <button type="button" onClick={act} disabled={isAsked}>
          {label}
        </button>
        <button type="button" class="quiet" onClick={close}>
          Leave it
        </button>
      </div>
    </Dialog>
  );
}
