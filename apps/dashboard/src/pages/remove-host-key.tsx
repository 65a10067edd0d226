import type { JSX } from 'preact';
import { pathOf } from '../api/client.js';
import { Confirm } from '../components/confirm.js';

interface RemoveHostKeyProps {
  /** The machine's id at its VIM. */
  resourceId: string;
  fingerprint: string;
  close: () => void;
  onRemoved: () => void;
}

/** The pin goes once somebody has said so: what the machine shows next is pinned then. */
export function RemoveHostKey({ resourceId, fingerprint, close, onRemoved }: RemoveHostKeyProps): JSX.Element {
  return (
    <Confirm
      title="Remove this pinned key?"
      label="Remove the key"
      ask={(client) => client.send('DELETE', pathOf('/windlass/v1/host_keys/{resourceId}', { resourceId }))}
      onDone={onRemoved}
      close={close}
    >
      <p>
        <code>{fingerprint}</code>
      </p>
      <p>
        The next connection pins the key that the machine shows then. Compare its fingerprint on the machine’s console before: if
        it is another, someone may be in between.
      </p>
    </Confirm>
  );
}
