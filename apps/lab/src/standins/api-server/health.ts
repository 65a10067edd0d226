import type { ObjectCache } from './object-cache.js';

/** `/healthz`, `/livez`, `/readyz`, each with an optional check name behind it. Undefined for other paths. */
export function healthAnswer(path: string, cache: ObjectCache): { status: number; text: string } | undefined {
  if (!/^\/(healthz|livez|readyz)(\/[a-z-]+)?$/.test(path)) return undefined;
  return cache.synced
    ? { status: 200, text: 'ok' }
    : { status: 500, text: '[-]etcd failed: reason withheld\nhealthz check failed\n' };
}
