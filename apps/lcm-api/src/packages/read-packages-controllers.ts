import { Controller, Get, Req, Res, type Type } from '@nestjs/common';
import type { VnfPackageEntity } from '@windlass/persistence';
import { RESOURCES, type VnfPkgInfo } from '@windlass/sol003';
import type { Response } from 'express';
import { answerList } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { PublicUrl } from '../links/public-url.js';
import { Rendering } from '../rendering/rendering.js';
import { ApiRoute } from '../routes/route.js';
import { PackageAnswers } from './package-answers.js';
import { PACKAGE_ROUTES } from './package-routes.js';
import { PackageViews } from './package-views.js';
import { VnfPackages } from './vnf-packages.js';

/** One way of reading packages. */
interface PackageReads {
  /** Below `vnfpkgm/v1`. */
  resource: string;
  /** The parameter that names a package. */
  by: string;
  /** What is read, in words. */
  what: string;
  /** Whether what is not ONBOARDED is left out. */
  onboarded: boolean;
}

/** How packages are read, which is the same by either name of theirs (SOL003 10.4). */
function readPackagesController({ resource, by, what, onboarded }: PackageReads): Type<object> {
  const nameIn = (request: IdentifiedRequest): string => String(request.params[by]);

  @Controller(`vnfpkgm/v1/${resource}`)
  class ReadPackagesController {
    constructor(
      private readonly packages: VnfPackages,
      private readonly views: PackageViews,
      private readonly answers: PackageAnswers,
      private readonly rendering: Rendering,
      private readonly publicUrl: PublicUrl,
    ) {}

    @Get()
    @ApiRoute({
      summary: `${what}s`,
      role: 'reader',
      query: RESOURCES.vnfPackages,
      answers: { 200: { type: 'VnfPkgsInfo', headers: ['Link'] } },
    })
    list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      const { tenant } = identityOf(request);
      return answerList(request, response, this.publicUrl, RESOURCES.vnfPackages, async (after, limit) =>
        (await this.views.page(tenant, after, limit, onboarded)).map((view) => this.rendering.vnfPackage(view)),
      );
    }

    @Get(`:${by}`)
    @ApiRoute({ summary: `one ${what}`, role: 'reader', answers: { 200: { type: 'VnfPkgInfo' } } })
    async show(@Req() request: IdentifiedRequest): Promise<VnfPkgInfo> {
      const { tenant } = identityOf(request);
      const id = onboarded ? (await this.find(request)).id : nameIn(request);
      return this.rendering.vnfPackage(await this.views.one(tenant, id));
    }

    @Get(`:${by}/package_content`)
    @ApiRoute(PACKAGE_ROUTES.content)
    async download(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      await this.answers.archive(await this.find(request), request, response);
    }

    @Get(`:${by}/vnfd`)
    @ApiRoute(PACKAGE_ROUTES.vnfd)
    async vnfd(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      await this.answers.vnfd(await this.find(request), request, response);
    }

    @Get(`:${by}/artifacts`)
    @ApiRoute(PACKAGE_ROUTES.artifacts)
    async artifacts(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      await this.answers.artifacts(await this.find(request), request, response);
    }

    @Get(`:${by}/artifacts/*path`)
    @ApiRoute(PACKAGE_ROUTES.artifact)
    async artifact(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      await this.answers.artifact(await this.find(request), artifactPathOf(request), request, response);
    }

    private find(request: IdentifiedRequest): Promise<VnfPackageEntity> {
      const { tenant } = identityOf(request);
      return onboarded ? this.packages.onboarded(tenant, nameIn(request)) : this.packages.find(tenant, nameIn(request));
    }
  }

  return ReadPackagesController;
}

/** The rest of the path, decoded once: its slashes may have come encoded or not. */
const artifactPathOf = ({ params: { path } }: IdentifiedRequest): string => [path ?? []].flat().join('/');

/** All packages by their ids, and ONBOARDED packages by their VNFDs. Changes go by `vnf_packages` (2.6.1). */
export const readPackagesControllers = [
  readPackagesController({ resource: 'vnf_packages', by: 'id', what: 'VNF package', onboarded: false }),
  readPackagesController({ resource: 'onboarded_vnf_packages', by: 'vnfdId', what: 'onboarded VNF package', onboarded: true }),
];
