import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { pathOf } from '../api/client.js';
import { Dialog } from '../parts/dialog.js';
import { Problem } from '../parts/parts.js';
import { session } from '../state/session.js';

interface RemoveHostKeyProps {
  /** The machine's id at its VIM. */
  resourceId: string;
  fingerprint: string;
  close: () => void;
  onRemoved: () => void;
}

/** The pin goes once somebody has said so: what the machine shows next is pinned then. */
export function RemoveHostKey({ resourceId, fingerprint, close, onRemoved }: RemoveHostKeyProps): JSX.Element {
  const [error, setError] = useState<unknown>(undefined);
  const [isAsked, setIsAsked] = useState(false);
  const remove = (): void => {
    setIsAsked(true);
    session.value?.client
      .send('DELETE', pathOf('/windlass/v1/host_keys/{resourceId}', { resourceId }))
      .then(onRemoved, setError)
      .finally(() => setIsAsked(false));
  };
  return (
    <Dialog title="Remove this pinned key?" onClose={close}>
      <p>
        <code>{fingerprint}</code>
      </p>
      <p>
        The next connection pins the key that the machine shows then. Compare its fingerprint on the machine’s console before: if
        it is another, someone may be in between.
      </p>
      <Problem error={error} />
      <div class="buttons">
        <button type="button" onClick={remove} disabled={isAsked}>
          Remove the key
        </button>
        <button type="button" class="quiet" onClick={close}>
          Leave it
        </button>
      </div>
    </Dialog>
  );
}
