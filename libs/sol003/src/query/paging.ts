/** The parameter that a next page is asked for with (SOL013 5.4.2.1). */
export const MARKER_PARAMETER = 'nextpage_opaque_marker';

/** Entries a page has in v1, for every list. */
export const PAGE_SIZE = 100;

/** Every byte of a character as `%XX`; half a surrogate pair becomes the replacement character. */
const percent = (char: string): string =>
  Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Without the characters that would end the URI in `<...>` or the header itself. */
const safe = (text: string): string => text.replace(/[<>"\s\\^`{|}\u{0}-\u{1f}\u{7f}-\u{10ffff}]/gu, percent);

/**
 * The value of a `Link` header that leads to the next page: the same URL, other parameters kept as they were sent, with the
 * marker set.
 * @param requestUrl path and query as received, such as `/vnflcm/v1/vnf_instances?filter=(eq,vnfdId,x)`, or an absolute URL
 * @param marker id of the last entry on this page
 */
export function nextPageLink(requestUrl: string, marker: string): string {
  const split = requestUrl.indexOf('?');
  const path = split < 0 ? requestUrl : requestUrl.slice(0, split);
  const others =
    split < 0
      ? []
      : requestUrl
          .slice(split + 1)
          .split('&')
          .filter((part) => part !== '' && !isMarker(part));
  const query = [...others.map(safe), `${MARKER_PARAMETER}=${encodeURIComponent(marker)}`].join('&');
  return `<${safe(path)}?${query}>; rel="next"`;
}

function isMarker(part: string): boolean {
  const [name = ''] = part.split('=', 1);
  return new URLSearchParams(`${name}=`).has(MARKER_PARAMETER);
}
