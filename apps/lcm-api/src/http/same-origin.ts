import { RequestError } from '@windlass/foundation';
import type { NextFunction, Request, Response } from 'express';
import { isIP } from 'node:net';
import type { PublicUrl } from '../links/public-url.js';

/** Methods that change nothing; what they answer a browser shows to no other site. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What `Sec-Fetch-Site` says of a request that no other site brought about (W3C Fetch Metadata). */
const OWN = new Set(['same-origin', 'none']);

/**
 * Refuses with 403 what a browser sends because a page of another site wants it: a form or a script there could use the login that the browser keeps,
 * or reach an API that asks for none. Only browsers send `Origin` and `Sec-Fetch-Site`, and no page can forge them. Stands before authentication:
 * such a request is not the user's, so its credentials are not looked at.
 */
export const sameOrigin =
  (publicUrl: PublicUrl) =>
  ({ method, headers }: Request, _response: Response, next: NextFunction): void => {
    const { origin, host = '', 'sec-fetch-site': site } = headers;
    const own = (site === undefined || OWN.has(site)) && (origin === undefined || isOwn(origin, host, publicUrl));
    if (SAFE.has(method) || own) next();
    else next(crossSite(publicUrl));
  };

/**
 * Whether pages of that origin are ours: `/docs` is one, at the public URL or where the API listens. The name in `Host` proves nothing, because a
 * stranger's name may point here (DNS rebinding).
 */
function isOwn(origin: string, host: string, publicUrl: PublicUrl): boolean {
  const page = urlOf(origin);
  if (page === undefined) return false;
  if (page.origin === new URL(publicUrl.root).origin) return true;
  const name = page.hostname.replace(/^\[|\]$/g, '');
  return page.host === urlOf(`${page.protocol}//${host}`)?.host && (name === 'localhost' || isIP(name) !== 0);
}

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const crossSite = ({ root }: PublicUrl): RequestError =>
  new RequestError(
    403,
    'request.cross-site',
    `a page of another site sent this request, and such change nothing here: this API is found at ${root} (WINDLASS_PUBLIC_URL)`,
  );
