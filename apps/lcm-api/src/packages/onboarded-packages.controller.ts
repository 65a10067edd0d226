import { Controller, Get, Req, Res } from '@nestjs/common';
import type { VnfPackageEntity } from '@windlass/persistence';
import { RESOURCES, type VnfPkgInfo } from '@windlass/sol003';
import type { Response } from 'express';
import { answerList } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../http/identity.js';
import { PublicUrl } from '../http/public-url.js';
import { Rendering } from '../rendering/rendering.js';
import { ApiRoute } from '../routes/route.js';
import { PACKAGE_ROUTES } from './package-routes.js';
import { PackageAnswers } from './package-answers.js';
import { PackageViews } from './package-views.js';
import { artifactPathOf } from './vnf-packages.controller.js';
import { VnfPackages } from './vnf-packages.js';

/** `/vnfpkgm/v1/onboarded_vnf_packages` (SOL003 10.4, 2.6.1): what is ONBOARDED, named by its VNFD. It is read here, and changed below `vnf_packages`. */
@Controller('vnfpkgm/v1/onboarded_vnf_packages')
export class OnboardedPackagesController {
  constructor(
    private readonly packages: VnfPackages,
    private readonly views: PackageViews,
    private readonly answers: PackageAnswers,
    private readonly rendering: Rendering,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'onboarded VNF packages',
    role: 'reader',
    query: RESOURCES.vnfPackages,
    answers: { 200: { type: 'VnfPkgsInfo', headers: ['Link'] } },
  })
  list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    return answerList(request, response, this.publicUrl, RESOURCES.vnfPackages, async (after, limit) =>
      (await this.views.page(tenant, after, limit, true)).map((view) => this.rendering.vnfPackage(view)),
    );
  }

  @Get(':vnfdId')
  @ApiRoute({ summary: 'one onboarded VNF package', role: 'reader', answers: { 200: { type: 'VnfPkgInfo' } } })
  async show(@Req() request: IdentifiedRequest): Promise<VnfPkgInfo> {
    const { id, tenant } = await this.#find(request);
    return this.rendering.vnfPackage(await this.views.one(tenant, id));
  }

  @Get(':vnfdId/package_content')
  @ApiRoute(PACKAGE_ROUTES.content)
  async download(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.answers.archive(await this.#find(request), request, response);
  }

  @Get(':vnfdId/vnfd')
  @ApiRoute(PACKAGE_ROUTES.vnfd)
  async vnfd(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.answers.vnfd(await this.#find(request), request, response);
  }

  @Get(':vnfdId/artifacts')
  @ApiRoute(PACKAGE_ROUTES.artifacts)
  async artifacts(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.answers.artifacts(await this.#find(request), request, response);
  }

  @Get(':vnfdId/artifacts/*path')
  @ApiRoute(PACKAGE_ROUTES.artifact)
  async artifact(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.answers.artifact(await this.#find(request), artifactPathOf(request), request, response);
  }

  #find(request: IdentifiedRequest): Promise<VnfPackageEntity> {
    return this.packages.onboarded(identityOf(request).tenant, String(request.params.vnfdId));
  }
}
