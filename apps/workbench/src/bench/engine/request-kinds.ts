import type { ServedRequest } from '@windlass/lab';
import { rounded } from '../figures.js';

const SERVICES: Readonly<Record<string, string>> = {
  identity: 'Keystone',
  image: 'Glance',
  orchestration: 'Heat',
  compute: 'Nova',
  network: 'Neutron',
  volume: 'Cinder',
};

const ID = /^(?:[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})$/i;

/** What a request asks for, whatever it is called: `Heat GET stacks/{name}/{id}`. Of its query only the names count. */
export function kindOf({ method, path }: Pick<ServedRequest, 'method' | 'path'>): string {
  const [pathname = '', query = ''] = path.split('?');
  const [service = '', ...words] = pathname.slice(1).split('/');
  // A version, and in Heat's and Cinder's paths the project behind it.
  const own = words.slice(/^v\d/.test(words[0] ?? '') ? (ID.test(words[1] ?? '') ? 2 : 1) : 0);
  const names = own.map((word, n) => (own[n - 1] === 'stacks' ? '{name}' : ID.test(word) ? '{id}' : word));
  const asked = [...new Set(new URLSearchParams(query).keys())].filter((name) => !PAGING.includes(name)).sort();
  return `${SERVICES[service] ?? service} ${method} ${names.join('/')}${asked.length === 0 ? '' : `?${asked.join('&')}`}`;
}

/** How an answer is cut, and not what is asked for. */
const PAGING = ['limit', 'marker'];

/** Requests an operation by what they ask for, the most frequent first. */
export function requestKinds(requests: readonly ServedRequest[], operations: number): Record<string, number> {
  const counts = new Map<string, number>();
  for (const request of requests) counts.set(kindOf(request), (counts.get(kindOf(request)) ?? 0) + 1);
  return perOperationSorted(counts, operations);
}

/** Counts by operation, the largest first. */
export const perOperationSorted = (counts: ReadonlyMap<string, number>, operations: number): Record<string, number> =>
  Object.fromEntries(
    [...counts].sort(([, one], [, other]) => other - one).map(([kind, count]) => [kind, rounded(count / operations)]),
  );
