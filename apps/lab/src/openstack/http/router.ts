import type { Answer, Call } from './answer.js';

export type Handler = (call: Call) => Answer | Promise<Answer>;

interface Route {
  method: string;
  segments: string[];
  handler: Handler;
}

export type Match =
  { kind: 'found'; handler: Handler; params: Record<string, string> } | { kind: 'method' } | { kind: 'nothing' };

/** Finds the handler of a path by its segments; `:name` stands for one segment. */
export class Router {
  readonly #routes: Route[] = [];

  on(method: string, pattern: string, handler: Handler): this {
    this.#routes.push({ method, segments: split(pattern), handler });
    return this;
  }

  match(method: string, path: string): Match {
    const segments = split(path);
    let otherMethod = false;
    for (const route of this.#routes) {
      const params = paramsOf(route.segments, segments);
      if (params === undefined) continue;
      if (route.method === method || (method === 'HEAD' && route.method === 'GET')) {
        return { kind: 'found', handler: route.handler, params };
      }
      otherMethod = true;
    }
    return otherMethod ? { kind: 'method' } : { kind: 'nothing' };
  }
}

const split = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

function paramsOf(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const found = segments[index] ?? '';
    if (expected.startsWith(':')) params[expected.slice(1)] = decoded(found);
    else if (expected !== found) return undefined;
  }
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
