import { RequestError } from '@windlass/foundation';
import type { ApiVersionInformation } from '../types/common.js';

/** One major version of one API. */
export interface ApiVersion {
  readonly uriPrefix: string;
  /** The version that answers carry. */
  readonly version: string;
  /** Versions a request may ask for. */
  readonly supported: readonly string[];
  /** True where a request has to name the version. */
  readonly mandatory: boolean;
  /** Sent with every answer beside `Version`. */
  readonly headers: Readonly<Record<string, string>>;
}

const v1 = (uriPrefix: string, version: string, supported: readonly string[]): ApiVersion => ({
  uriPrefix,
  version,
  supported,
  mandatory: false,
  headers: {},
});

/**
 * The APIs that Windlass offers. v1 tolerates a missing `Version` (the command line's `op cancel`, all its package and VIM
 * calls); v2 wants it, as the reference system.
 */
export const APIS = {
  vnflcmV1: v1('/vnflcm/v1', '1.3.0', ['1.3.0']),
  vnflcmV2: {
    uriPrefix: '/vnflcm/v2',
    version: '2.0.0',
    supported: ['2.0.0'],
    mandatory: true,
    headers: { 'Accept-Ranges': 'none' },
  },
  vnfpkgmV1: v1('/vnfpkgm/v1', '1.2.0', ['1.0.0', '1.1.0', '1.2.0', '1.3.0']),
} as const satisfies Record<string, ApiVersion>;

/** `MAJOR.MINOR.PATCH`, with an optional `-impl:...` that names an implementation's own additions (SOL013 9.1.2). */
const VERSION = /^(\d{1,4}\.\d{1,4}\.\d{1,4})(-impl:.{1,200})?$/;

/**
 * Tests the `Version` header of a request. Not to be asked for `api_versions`, where any version is taken.
 * @param header as received; undefined where absent
 * @throws RequestError 400 `version.missing` or `version.malformed`, 406 `version.unsupported`
 */
export function requireVersion(api: ApiVersion, header: string | undefined): void {
  if (header === undefined) {
    if (!api.mandatory) return;
    throw new RequestError(400, 'version.missing', `Version: expected a header such as "Version: ${api.version}", got none`);
  }
  const asked = VERSION.exec(header.trim())?.[1];
  if (asked === undefined) {
    throw new RequestError(400, 'version.malformed', `Version: expected MAJOR.MINOR.PATCH such as ${api.version}`);
  }
  if (api.supported.includes(asked)) return;
  throw new RequestError(
    406,
    'version.unsupported',
    `Version ${asked} of ${api.uriPrefix} is not offered; offered: ${api.supported.join(', ')}`,
  );
}

/** What every answer of an API carries, errors included (SOL013 9.1.2). */
export const responseHeaders = (api: ApiVersion): Record<string, string> => ({ Version: api.version, ...api.headers });

/** `GET <uriPrefix>/api_versions`. */
export const apiVersionInformation = (api: ApiVersion): ApiVersionInformation => ({
  uriPrefix: api.uriPrefix,
  apiVersions: [{ version: api.version, isDeprecated: false }],
});

/** `GET /vnflcm/api_versions`: all major versions of an API at once. */
export function allApiVersions(apis: readonly ApiVersion[]): ApiVersionInformation {
  return {
    uriPrefix: apis[0]?.uriPrefix.replace(/\/v\d+$/, '') ?? '',
    apiVersions: apis.map(({ version }) => ({ version, isDeprecated: false })),
  };
}
