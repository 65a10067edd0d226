import { useEffect, useState } from 'preact/hooks';
import { follow, type LiveEvent, type LiveState } from '../api/live.js';
import type { ApiClient } from '../api/client.js';
import { session } from './session.js';

/** What comes in between is drawn together, in milliseconds. */
const DRAWN_EACH = 120;

/** What an event stream changes. */
export interface LiveModel {
  take(events: readonly LiveEvent[]): void;
  poll(client: ApiClient): Promise<void>;
}

/** Follows a stream into a model as long as the page is shown, and draws the page anew when there is news. */
export function useLive<M extends LiveModel>(path: string, make: () => M): { model: M; state: LiveState; error: unknown } {
  const [model, setModel] = useState(make);
  const [state, setState] = useState<LiveState>('connecting');
  const [error, setError] = useState<unknown>(undefined);
  const [, draw] = useState(0);
  const client = session.value?.client;
  useEffect(() => {
    if (client === undefined) return undefined;
    const stop = new AbortController();
    const fresh = make();
    setModel(fresh);
    setError(undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const drawSoon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        draw((count) => count + 1);
      }, DRAWN_EACH);
    };
    const follower = {
      onState: setState,
      onEvents: (events: readonly LiveEvent[]) => {
        fresh.take(events);
        drawSoon();
      },
      poll: async () => {
        await fresh.poll(client);
        drawSoon();
      },
    };
    follow(client, path, follower, stop.signal).catch((problem: unknown) => {
      setState('broken');
      setError(problem);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [client, path]);
  return { model, state, error };
}
