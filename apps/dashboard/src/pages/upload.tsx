import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Name, Problem, State } from '../components/elements.js';
import { onboard, type Onboarding } from '../state/onboarding.js';
import { hrefOf } from '../state/route.js';
import { session } from '../state/session.js';
import { sizeText } from '../state/words.js';
import { OnboardingMessages } from './onboarding-messages.js';

/** An upload, of which there is one at a time. */
interface Running {
  name: string;
  how: Onboarding | undefined;
  error: unknown;
  begin: (file: File | undefined) => void;
  stop: () => void;
}

function useUpload(onNews: () => void): Running {
  const [name, setName] = useState('');
  const [how, setHow] = useState<Onboarding | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  // Whoever leaves the page stops what is sent; what has been sent goes on there.
  useEffect(() => () => running.current?.abort(new Error('the page was left')), []);
  const begin = (file: File | undefined): void => {
    const client = session.value?.client;
    if (client === undefined || file === undefined || running.current !== undefined) return;
    const abort = new AbortController();
    running.current = abort;
    setName(file.name);
    setError(undefined);
    setHow({ is: 'sending', sent: 0, of: file.size });
    onboard(client, file, setHow, abort.signal)
      .catch((problem: unknown) => {
        setHow(undefined);
        setError(problem);
      })
      .finally(() => {
        running.current = undefined;
        onNews();
      });
  };
  const stop = (): void => running.current?.abort(new Error('the upload was stopped'));
  return { name, how, error, begin, stop };
}

/** Takes a package's zip, from the file dialog or dropped, and says how far it is and what onboarding says. */
export function Upload({ onNews }: { onNews: () => void }): JSX.Element {
  const id = useId();
  const [isOver, setIsOver] = useState(false);
  const { name, how, error, begin, stop } = useUpload(onNews);
  const isBusy = how !== undefined && how.is !== 'said';
  return (
    <div
      class={`drop${isOver ? ' over' : ''}`}
      role="group"
      aria-label="Upload of a package"
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        begin(event.dataTransfer?.files[0]);
      }}
    >
      <div class="line">
        <div class="field">
          <label for={id}>Upload a package: a CSAR (zip), chosen or dropped here</label>
          <input
            id={id}
            type="file"
            accept=".zip,.csar,application/zip"
            disabled={isBusy}
            onChange={(event) => {
              begin(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </div>
        {how?.is === 'sending' && (
          <button type="button" class="quiet" onClick={stop}>
            Stop the upload
          </button>
        )}
      </div>
      <Problem error={error} />
      {how !== undefined && <HowFar name={name} how={how} />}
    </div>
  );
}

function HowFar({ name, how }: { name: string; how: Onboarding }): JSX.Element {
  if (how.is === 'sending')
    return (
      <p class="how-far">
        <progress value={how.sent} max={Math.max(1, how.of)} aria-label="sent" /> <Name text={name} />: {sizeText(how.sent)} of{' '}
        {sizeText(how.of)} sent
      </p>
    );
  if (how.is === 'read')
    return (
      <p class="how-far" role="status">
        <progress aria-label="being read" /> <Name text={name} />: sent, and being read
      </p>
    );
  const { shown } = how;
  const isRefused = shown.onboardingFailureDetails !== undefined;
  return (
    <div role="status">
      <p>
        <State state={isRefused ? 'FAILED' : shown.onboardingState} />{' '}
        <a href={hrefOf('packages', shown.id)}>
          <Name text={shown.vnfProductName ?? name} />
        </a>
        {isRefused ? ' was refused. Mend what is named, and upload it again.' : ' is onboarded.'}
      </p>
      <OnboardingMessages shown={shown} />
    </div>
  );
}
