import { signal } from '@preact/signals';

/** Where one is: behind the `#` of the address, so that links can be kept and sent. Nothing of it goes to the server. */
export interface Route {
  page: string;
  id: string;
}

/** `#/instances/<id>`. What can't be read is the overview. */
export function routeIn(hash: string): Route {
  const [page = '', id = ''] = hash.replace(/^#?\/?/, '').split('/');
  try {
    return { page: decodeURIComponent(page), id: decodeURIComponent(id) };
  } catch {
    return { page: '', id: '' };
  }
}

export const hrefOf = (page: string, id?: string): string => `#/${page}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;

export const route = signal<Route>(routeIn(location.hash));

addEventListener('hashchange', () => {
  route.value = routeIn(location.hash);
});
