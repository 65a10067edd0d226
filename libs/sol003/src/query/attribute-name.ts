const ESCAPES: Readonly<Record<string, string>> = { '1': '/', a: ',', b: '@', '0': '~' };

/** A path in a filter or selector: names of attributes, and whether it ends in `@key`, the keys of the map it leads to. */
export interface AttributePath {
  readonly path: string[];
  readonly onKeys: boolean;
}

/**
 * Reads `a/b~1c/@key`: slashes part the names; in a name `~1` is a slash, `~a` a comma, `~b` an at-sign and `~0` a tilde
 * (SOL013 5.2.2). Returns undefined for a text that is no such path.
 */
export function parseAttributePath(text: string): AttributePath | undefined {
  const segments = text.split('/');
  const onKeys = segments.length > 1 && segments.at(-1) === '@key';
  const names = onKeys ? segments.slice(0, -1) : segments;
  if (names.some((name) => name === '' || /~(?![01ab])/.test(name) || name.startsWith('@'))) return undefined;
  return { path: names.map((name) => name.replace(/~([01ab])/g, (_, code: string) => ESCAPES[code] ?? '')), onKeys };
}

/** The inverse of {@link parseAttributePath}. */
export function renderAttributePath({ path, onKeys }: AttributePath): string {
  const names = path.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll(',', '~a').replaceAll('@', '~b'));
  return [...names, ...(onKeys ? ['@key'] : [])].join('/');
}
