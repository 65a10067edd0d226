/** Where what SOL003 does not have is found. No API of SOL003 begins with it (SOL013 4.1: `{apiRoot}/{apiName}/{apiMajorVersion}`, names `vnf...`). */
export const EXTENSIONS = '/windlass/v1';

/** What a `Link` header's relations of ours begin with: a URI, as relations that are not registered have to be (RFC 8288 2.1.2). */
const RELATION = 'urn:windlass:rel:';

/**
 * The value of a `Link` header that leads from an operation occurrence to what Windlass tells beyond SOL003: the operation with its warnings and
 * counts, its steps, its events. Bodies hold what the standard knows and nothing else.
 * @param root scheme, host, port and the public URL's path
 */
export const extensionLinks = (operationId: string, root: string): string => {
  const operation = `${root}${EXTENSIONS}/operations/${operationId}`;
  const links = { operation, steps: `${operation}/steps`, events: `${operation}/events` };
  return Object.entries(links)
    .map(([name, url]) => `<${url}>; rel="${RELATION}${name}"`)
    .join(', ');
};
