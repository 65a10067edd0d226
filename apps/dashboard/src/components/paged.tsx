import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../state/use-loaded.js';
import { Nothing, Problem } from './elements.js';

interface PagedProps<T> {
  /** The list's first page, with its filter. */
  path: string;
  nothing: string;
  children: (items: readonly T[]) => ComponentChildren;
}

/** A list as the server pages it. Earlier pages are known by their addresses, so that one can go back. */
export function Paged<T>({ path, nothing, children }: PagedProps<T>): JSX.Element {
  const [trail, setTrail] = useState<readonly string[]>([]);
  const at = trail.at(-1) ?? path;
  const { value, error, again } = useLoaded((client) => client.page<T>(at), [at]);
  const hasPages = trail.length > 0 || value?.next !== undefined;
  return (
    <>
      <Problem error={error} />
      {value?.items.length === 0 && <Nothing>{nothing}</Nothing>}
      {value !== undefined && value.items.length > 0 && children(value.items)}
      <div class="pager">
        {hasPages && (
          <>
            <button type="button" class="quiet" disabled={trail.length === 0} onClick={() => setTrail(trail.slice(0, -1))}>
              Page before
            </button>
            <span role="status">page {trail.length + 1}</span>
            <button
              type="button"
              class="quiet"
              disabled={value?.next === undefined}
              onClick={() => value?.next !== undefined && setTrail([...trail, value.next])}
            >
              Next page
            </button>
          </>
        )}
        <button type="button" class="quiet" onClick={again}>
          Look again
        </button>
      </div>
    </>
  );
}
