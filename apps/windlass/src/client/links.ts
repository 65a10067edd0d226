/**
 * The path of a resource of ours on the service, out of a URL that an answer names. That URL is where all clients are led, by way of a
 * reverse proxy, say, with a path of its own before ours; we ask where we were told to ask.
 */
export function pathIn(location: string): string {
  const { pathname } = new URL(location, 'http://here');
  return /\/(?:vnflcm|vnfpkgm|windlass)\/v1\/.*$/.exec(pathname)?.[0] ?? pathname;
}

/** What to ask for after a page: the same path with the query of the `Link` header; undefined after the last page. */
export function nextOf(asked: string, link: string): string | undefined {
  const next = /<([^<>]*)>; *rel="next"/.exec(link)?.[1];
  return next === undefined ? undefined : `${asked.split('?', 1)[0]}${new URL(next, 'http://here').search}`;
}
