import type { Client } from 'pg';
import { rounded } from '../figures.js';
import type { RecordedRequest } from './recorder.js';

/** Something that lasted, or an event of Heat's. Milliseconds since 1970. */
export interface Span {
  from: number;
  to: number;
  what: string;
}

/** The same, in milliseconds from the first request on: what the report shows. */
export interface Moment {
  at: number;
  took: number;
  what: string;
}

/** One end, or one beginning, of some stacks: everything that was seen of it. Milliseconds since 1970. */
export interface Seen {
  sentAt: number;
  endedAt: number;
  /** Heat's last event: the last stack is complete, or deleted. Undefined where its log has none. */
  heatEndedAt: number | undefined;
  requests: readonly RecordedRequest[];
}

/** Where the time went; together, but for `image`, the whole of it. Milliseconds. */
export interface Parts {
  /** Until the first stack is asked for, or its deletion. */
  before: number;
  /** Of that, while Glance was asked. */
  image: number;
  /** From there to Heat's last event. */
  heat: number;
  /** Until the answer to the look that showed it. */
  noticing: number;
  /** Of what follows, while a request was under way: reading what was made. */
  reading: number;
  /** The rest, until the operations are COMPLETED. */
  rest: number;
}

/** Undefined where no request asked for a stack or its deletion, or Heat's log does not tell its end. */
export function partsOf({ sentAt, endedAt, heatEndedAt, requests }: Seen): Parts | undefined {
  const askedAt = Math.min(...requests.filter(asks).map(({ at }) => at));
  if (heatEndedAt === undefined || !Number.isFinite(askedAt)) return undefined;
  const looks = requests.filter(isLook).map(({ until }) => until);
  const noticedAt = Math.max(heatEndedAt, ...looks.filter((until) => until <= endedAt));
  const reading = under(requests, noticedAt, endedAt);
  return {
    before: askedAt - sentAt,
    image: under(
      requests.filter(({ service }) => service === 'image'),
      sentAt,
      askedAt,
    ),
    heat: heatEndedAt - askedAt,
    noticing: noticedAt - heatEndedAt,
    reading,
    rest: endedAt - noticedAt - reading,
  };
}

const asks = ({ service, method, path }: RecordedRequest): boolean =>
  service === 'orchestration' && ((method === 'POST' && path.endsWith('/stacks')) || method === 'DELETE');

/** A listing of stacks by their ids. */
const isLook = ({ service, method, path }: RecordedRequest): boolean =>
  service === 'orchestration' && method === 'GET' && /\/stacks\?.*\bid=/.test(path);

/** How much of a time at least one of the requests was under way: each moment once. */
export function under(requests: readonly Pick<RecordedRequest, 'at' | 'until'>[], from: number, to: number): number {
  let sum = 0;
  let covered = from;
  for (const { at, until } of [...requests].sort((one, other) => one.at - other.at)) {
    const begin = Math.max(at, covered);
    const end = Math.min(until, to);
    if (end <= begin) continue;
    sum += end - begin;
    covered = end;
  }
  return sum;
}

/** In the order of their beginnings, from the first request on. */
export const momentsOf = (sentAt: number, spans: readonly Span[]): Moment[] =>
  [...spans]
    .sort((one, other) => one.from - other.from || one.to - other.to)
    .map(({ from, to, what }) => ({ at: rounded(from - sentAt), took: rounded(to - from), what }));

/** Ids are left out, and most of a query: what was asked, not of which. */
export const requestSpan = ({ service, method, path, at, until, status, stackStatus }: RecordedRequest): Span => {
  const [way = '', query = ''] = path.split('?');
  const names = query === '' ? '' : `?${[...new Set(query.split('&').map((one) => one.split('=')[0]))].join('&')}`;
  const plain = way.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}/g, '*');
  return {
    from: at,
    to: until,
    what: `${method} ${service}${plain}${names} ${status}${stackStatus === undefined ? '' : ` ${stackStatus}`}`,
  };
};

/** Steps of an operation and its own milestones, by PostgreSQL's clock, which is this machine's. */
export async function engineSpans(database: Client, operationId: string): Promise<Span[]> {
  const steps = await database.query<{ id: string; from: string | null; to: string | null }>(
    `SELECT id, ${milliseconds('started_at')} AS "from", ${milliseconds('ended_at')} AS "to" FROM lcm.step WHERE operation_id = $1`,
    [operationId],
  );
  const { rows } = await database.query<{ accepted: string; completed: string }>(
    `SELECT ${milliseconds('created_at')} AS accepted, ${milliseconds('status_since')} AS completed FROM lcm.operation WHERE id = $1`,
    [operationId],
  );
  return [
    ...steps.rows.flatMap(({ id, from, to }) =>
      from === null || to === null ? [] : [{ from: Number(from), to: Number(to), what: `step ${id}` }],
    ),
    ...rows.flatMap(({ accepted, completed }) => [
      { from: Number(accepted), to: Number(accepted), what: 'accepted' },
      { from: Number(completed), to: Number(completed), what: 'COMPLETED is written' },
    ]),
  ];
}

const milliseconds = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::float8`;
