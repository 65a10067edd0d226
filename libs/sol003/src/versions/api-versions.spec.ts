import { RequestError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { schemaErrors } from '../schemas/schema-errors.js';
import { allApiVersions, apiVersionInformation, APIS, requireVersion, responseHeaders, type ApiVersion } from './api-versions.js';

const statusOf = (api: ApiVersion, header: string | undefined): number => {
  try {
    requireVersion(api, header);
    return 200;
  } catch (error) {
    if (error instanceof RequestError) return error.status;
    throw error;
  }
};

describe('the Version header', () => {
  it.each([
    [APIS.vnflcmV1, '1.3.0', 200],
    [APIS.vnflcmV1, '1.3.0-impl:tacker.org:1', 200],
    [APIS.vnflcmV1, undefined, 200],
    [APIS.vnflcmV1, '2.0.0', 406],
    [APIS.vnflcmV1, '0.0.1', 406],
    [APIS.vnflcmV1, 'newest', 400],
    [APIS.vnflcmV2, '2.0.0', 200],
    [APIS.vnflcmV2, '2.0.0-impl:etsi.org:x', 200],
    [APIS.vnflcmV2, undefined, 400],
    [APIS.vnflcmV2, '1.3.0', 406],
    [APIS.vnflcmV2, '2.0', 400],
    [APIS.vnfpkgmV1, undefined, 200],
    [APIS.vnfpkgmV1, '9.9.9', 406],
  ])('of %o: %s is %i', (api, header, status) => {
    expect(statusOf(api, header)).toBe(status);
  });

  it('is in every answer', () => {
    expect(responseHeaders(APIS.vnflcmV1)).toEqual({ Version: '1.3.0' });
    expect(responseHeaders(APIS.vnflcmV2)).toEqual({ Version: '2.0.0', 'Accept-Ranges': 'none' });
  });

  it('can be asked for', () => {
    expect(apiVersionInformation(APIS.vnflcmV1)).toEqual({
      uriPrefix: '/vnflcm/v1',
      apiVersions: [{ version: '1.3.0', isDeprecated: false }],
    });
    const all = allApiVersions([APIS.vnflcmV1, APIS.vnflcmV2]);
    expect(all.uriPrefix).toBe('/vnflcm');
    expect(all.apiVersions.map(({ version }) => version)).toEqual(['1.3.0', '2.0.0']);
    expect(schemaErrors('ApiVersionInformation', all)).toEqual([]);
  });
});
