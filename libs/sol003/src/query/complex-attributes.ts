import type { ListQuery } from './list-query.js';
import type { ResourceTable } from './resources.js';

/**
 * Whether an answer needs any of the complex attributes that a list leaves out by default, to show it or to filter by it. Where it does not,
 * they need not be read.
 */
export function needsComplexAttributes(
  { filter, selector }: Pick<ListQuery, 'filter' | 'selector'>,
  resource: ResourceTable,
): boolean {
  const excluded = new Set(resource.excludedByDefault);
  const named = (paths: readonly (readonly string[])[]): boolean => paths.some(([head = '']) => excluded.has(head));
  if (named(filter.map(({ path }) => path))) return true;
  switch (selector.show) {
    case 'default':
      return false;
    case 'only':
      return named(selector.paths);
    case 'without': {
      const gone = new Set(selector.paths.flatMap((path) => (path.length === 1 ? path : [])));
      return [...excluded].some((name) => !gone.has(name));
    }
    case 'all':
      return true;
  }
}
