import { Controller, Get } from '@nestjs/common';
import { allApiVersions, apiVersionInformation, APIS, type ApiVersionInformation } from '@windlass/sol003';
import { PublicUrl } from './public-url.js';

/** What is offered in which version (SOL013 9.3.3), and the list that the legacy API begins with. */
@Controller()
export class ApiVersionsController {
  constructor(private readonly publicUrl: PublicUrl) {}

  @Get('vnflcm/api_versions')
  lcm(): ApiVersionInformation {
    return allApiVersions([APIS.vnflcmV1]);
  }

  @Get('vnflcm/v1/api_versions')
  lcmV1(): ApiVersionInformation {
    return apiVersionInformation(APIS.vnflcmV1);
  }

  @Get('vnfpkgm/api_versions')
  packages(): ApiVersionInformation {
    return allApiVersions([APIS.vnfpkgmV1]);
  }

  @Get('vnfpkgm/v1/api_versions')
  packagesV1(): ApiVersionInformation {
    return apiVersionInformation(APIS.vnfpkgmV1);
  }

  @Get()
  legacy(): object {
    return { versions: [{ id: 'v1.0', status: 'CURRENT', links: [{ rel: 'self', href: this.publicUrl.pathOf('/v1.0') }] }] };
  }
}
