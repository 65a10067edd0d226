import { TerminalError } from '@windlass/foundation';
import type { Creation } from './heat-log.js';
import type { RecordedRequest } from './recorder.js';

/** What was seen of one instantiation; milliseconds since 1970. */
export interface Seen {
  sentAt: number;
  completedAt: number;
  /** From Heat's own events. */
  heat: Creation;
  /** Of this instantiation alone, in any order. */
  requests: readonly RecordedRequest[];
}

/** The stages that an instantiation consists of, one after the other: together they are the whole of it. */
export const STAGES = ['images', 'before', 'asking', 'heat', 'noticing', 'reading', 'publishing'] as const;

/** An instantiation's times in milliseconds. */
export interface Timeline {
  postToCompleted: number;
  /** CREATE_IN_PROGRESS to CREATE_COMPLETE of the stack. */
  heat: number;
  /** The rest: what the aim speaks of. */
  overhead: number;
  /** Of the rest, while a request to OpenStack was under way. */
  outstanding: number;
  /** Of the rest, while none was: ours alone. */
  own: number;
  stages: Record<(typeof STAGES)[number], number>;
  /** Looks at the stack while Heat was at work. */
  looks: number;
  /** Requests beside those looks, by service. */
  requests: Record<string, number>;
}

/** @throws TerminalError `bench.no-stack` when no request made the stack, or none saw it complete */
export function timelineOf({ sentAt, completedAt, heat, requests }: Seen): Timeline {
  const inOrder = [...requests].sort((one, other) => one.at - other.at);
  const created = inOrder.find(({ service, method, path }) => service === 'orchestration' && method === 'POST' && isStacks(path));
  const noticed = inOrder.find(({ stackStatus }) => stackStatus === 'CREATE_COMPLETE');
  if (created === undefined || noticed === undefined)
    throw new TerminalError(
      'bench.no-stack',
      `no request ${created === undefined ? 'made the stack' : 'saw the stack complete'}`,
    );
  const images = span(inOrder.filter(({ service, at }) => service === 'image' && at < created.at));
  const lastRead = Math.max(noticed.until, ...inOrder.map(({ until }) => Math.min(until, completedAt)));
  const postToCompleted = completedAt - sentAt;
  const heatTook = heat.ended - heat.began;
  const outstanding = outsideOf(inOrder, heat, { from: sentAt, to: completedAt });
  return {
    postToCompleted,
    heat: heatTook,
    overhead: postToCompleted - heatTook,
    outstanding,
    own: postToCompleted - heatTook - outstanding,
    stages: {
      images,
      before: created.at - sentAt - images,
      asking: heat.began - created.at,
      heat: heatTook,
      noticing: noticed.until - heat.ended,
      reading: lastRead - noticed.until,
      publishing: completedAt - lastRead,
    },
    looks: inOrder.filter((request) => isLook(request, heat)).length,
    requests: countBy(inOrder.filter((request) => !isLook(request, heat))),
  };
}

const isStacks = (path: string): boolean => path.endsWith('/stacks');

const isLook = ({ service, method, at }: RecordedRequest, { began, ended }: Creation): boolean =>
  service === 'orchestration' && method === 'GET' && at >= began && at <= ended;

const span = (requests: readonly RecordedRequest[]): number =>
  requests.length === 0 ? 0 : Math.max(...requests.map(({ until }) => until)) - Math.min(...requests.map(({ at }) => at));

/** How much of a time at least one request was under way and Heat was not at work on the stack. */
function outsideOf(requests: readonly RecordedRequest[], heat: Creation, within: { from: number; to: number }): number {
  let sum = 0;
  let covered = within.from;
  const cut = (from: number, to: number): void => {
    const begin = Math.max(from, covered);
    const end = Math.min(to, within.to);
    if (end <= begin) return;
    sum += end - begin;
    covered = end;
  };
  const pieces = requests.flatMap(({ at, until }) => [
    { from: at, to: Math.min(until, heat.began) },
    { from: Math.max(at, heat.ended), to: until },
  ]);
  for (const { from, to } of pieces.sort((one, other) => one.from - other.from)) cut(from, to);
  return sum;
}

function countBy(requests: readonly RecordedRequest[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { service } of requests) counts[service] = (counts[service] ?? 0) + 1;
  return counts;
}
