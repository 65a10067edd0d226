import { useEffect, useState } from 'preact/hooks';
import { session } from './session.js';
import type { ApiClient } from '../api/client.js';

/** Something that was asked for. */
export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  /** Asks again; what is shown stays until the answer is there. */
  again: () => void;
}

/** Asks when it is first shown, whenever `keys` change, and after a new sign-in. */
export function useLoaded<T>(ask: (client: ApiClient) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [{ value, error }, set] = useState<{ value: T | undefined; error: unknown }>({ value: undefined, error: undefined });
  const [times, setTimes] = useState(0);
  const client = session.value?.client;
  useEffect(() => {
    if (client === undefined) return undefined;
    let isShown = true;
    ask(client).then(
      (asked) => {
        if (isShown) set({ value: asked, error: undefined });
      },
      (problem: unknown) => {
        if (isShown) set((before) => ({ value: before.value, error: problem }));
      },
    );
    return () => {
      isShown = false;
    };
  }, [client, times, ...keys]);
  return { value, error, again: () => setTimes((count) => count + 1) };
}
