import { useEffect, useState } from 'preact/hooks';
import { session } from './session.js';
import { Refused, Unreachable, type ApiClient } from '../api/client.js';

/** Something that was asked for. */
export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  /** Asks again; what is shown stays until the answer is there. */
  again: () => void;
}

/** Milliseconds after which an API that was away is asked again: as its events are. */
const AGAIN = 5_000;

/** Whether nobody answered, or a proxy did for a service that was away. */
const isAway = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Refused && error.status >= 502 && error.status <= 504);

/** Asks when it is first shown, whenever `keys` change, after a new sign-in, and again until an API that is away answers. */
export function useLoaded<T>(ask: (client: ApiClient) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [{ value, error }, set] = useState<{ value: T | undefined; error: unknown }>({ value: undefined, error: undefined });
  const [times, setTimes] = useState(0);
  const client = session.value?.client;
  useEffect(() => {
    if (client === undefined) return undefined;
    let isShown = true;
    let later: ReturnType<typeof setTimeout> | undefined;
    ask(client).then(
      (asked) => {
        if (isShown) set({ value: asked, error: undefined });
      },
      (problem: unknown) => {
        if (!isShown) return;
        set((before) => ({ value: before.value, error: problem }));
        if (isAway(problem)) later = setTimeout(() => setTimes((count) => count + 1), AGAIN);
      },
    );
    return () => {
      isShown = false;
      clearTimeout(later);
    };
  }, [client, times, ...keys]);
  return { value, error, again: () => setTimes((count) => count + 1) };
}
