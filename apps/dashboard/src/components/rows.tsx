import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Rows that are drawn above and below those in sight. */
const BEYOND = 12;

const WAYS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Arrows lead from row to row, where rows are buttons: one Tab leads past the whole list. */
function lead(event: KeyboardEvent): void {
  const way = WAYS[event.key];
  const list = event.currentTarget as HTMLElement;
  const buttons = [...list.querySelectorAll<HTMLButtonElement>('button.row')];
  if (way === undefined || buttons.length === 0) return;
  const at = buttons.findIndex((button) => button === document.activeElement);
  const { top } = list.getBoundingClientRect();
  const first = buttons.find((button) => button.getBoundingClientRect().top >= top);
  event.preventDefault();
  (at === -1 ? first : buttons[at + way])?.focus();
}

/** Browsers draw nothing beyond some 30 million pixels; 100,000 rows are far below. */
interface RowsProps {
  label: string;
  count: number;
  /** Pixels of one row. */
  height: number;
  row: (at: number) => ComponentChildren;
  /** Which row is to be in sight. */
  shows?: number | undefined;
}

/** A list of which only what is in sight is drawn: 20,000 rows scroll as 20 do. */
export function Rows({ label, count, height, row, shows }: RowsProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(600);
  useEffect(() => {
    const own = list.current;
    if (own === null) return undefined;
    const seen = new ResizeObserver(() => setRoom(own.clientHeight));
    seen.observe(own);
    return () => seen.disconnect();
  }, []);
  useEffect(() => {
    const own = list.current;
    if (own === null || shows === undefined || shows < 0) return;
    const at = shows * height;
    if (at < own.scrollTop || at + height > own.scrollTop + own.clientHeight)
      own.scrollTop = Math.max(0, at - own.clientHeight / 2);
  }, [shows]);
  const first = Math.max(0, Math.floor(top / height) - BEYOND);
  const last = Math.min(count, Math.ceil((top + room) / height) + BEYOND);
  return (
    <div
      class="rows"
      ref={list}
      role="region"
      aria-label={label}
      tabIndex={0}
      onKeyDown={lead}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="all" style={{ height: `${count * height}px` }}>
        <ul style={{ transform: `translateY(${first * height}px)` }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, at) => (
            <li key={first + at} aria-setsize={count} aria-posinset={first + at + 1} style={{ height: `${height}px` }}>
              {row(first + at)}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
