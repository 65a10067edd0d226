import { Controller, Get } from '@nestjs/common';
import { allApiVersions, apiVersionInformation, APIS, type ApiVersionInformation } from '@windlass/sol003';
import { PublicUrl } from '../links/public-url.js';
import { anObject } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';

/** What is offered in which version (SOL013 9.3.3), and the list that the legacy API begins with. */
@Controller()
export class ApiVersionsController {
  constructor(private readonly publicUrl: PublicUrl) {}

  @Get('vnflcm/api_versions')
  @ApiRoute({
    summary: 'all versions of the VNF lifecycle management API',
    role: 'reader',
    answers: { 200: { type: 'ApiVersionInformation' } },
  })
  lcm(): ApiVersionInformation {
    return allApiVersions([APIS.vnflcmV1, APIS.vnflcmV2]);
  }

  @Get('vnflcm/v1/api_versions')
  @ApiRoute({
    summary: 'versions of the VNF lifecycle management API, version 1',
    role: 'reader',
    answers: { 200: { type: 'ApiVersionInformation' } },
  })
  lcmV1(): ApiVersionInformation {
    return apiVersionInformation(APIS.vnflcmV1);
  }

  @Get('vnflcm/v2/api_versions')
  @ApiRoute({
    summary: 'versions of the VNF lifecycle management API, version 2',
    role: 'reader',
    answers: { 200: { type: 'ApiVersionInformation' } },
  })
  lcmV2(): ApiVersionInformation {
    return apiVersionInformation(APIS.vnflcmV2);
  }

  @Get('vnfpkgm/api_versions')
  @ApiRoute({
    summary: 'all versions of the VNF package management API',
    role: 'reader',
    answers: { 200: { type: 'ApiVersionInformation' } },
  })
  packages(): ApiVersionInformation {
    return allApiVersions([APIS.vnfpkgmV1]);
  }

  @Get('vnfpkgm/v1/api_versions')
  @ApiRoute({
    summary: 'versions of the VNF package management API, version 1',
    role: 'reader',
    answers: { 200: { type: 'ApiVersionInformation' } },
  })
  packagesV1(): ApiVersionInformation {
    return apiVersionInformation(APIS.vnfpkgmV1);
  }

  @Get()
  @ApiRoute({ summary: 'versions of the legacy API', role: 'reader', answers: { 200: { schema: anObject('versions') } } })
  legacy(): object {
    return { versions: [{ id: 'v1.0', status: 'CURRENT', links: [{ rel: 'self', href: this.publicUrl.pathOf('/v1.0') }] }] };
  }
}
