import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { PkgmSubscriptionRequestBody, RESOURCES } from '@windlass/sol003';
import type { Response } from 'express';
import type { IdentifiedRequest } from '../http/identity.js';
import { ApiRoute } from '../routes/route.js';
import { SubscriptionAnswers } from './subscription-answers.js';

/** `/vnfpkgm/v1/subscriptions` (SOL003 9.4.7 - 9.4.8). */
@Controller('vnfpkgm/v1/subscriptions')
export class PkgmSubscriptionsController {
  constructor(private readonly answers: SubscriptionAnswers) {}

  @Post()
  @HttpCode(201)
  @ApiRoute({
    summary: 'subscribe to changes of VNF packages',
    role: 'operator',
    body: { of: PkgmSubscriptionRequestBody },
    answers: { 201: { type: 'PkgmSubscription', headers: ['Location'] }, 303: { headers: ['Location'] } },
    refusals: [409],
  })
  create(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    return this.answers.create('vnfpkgm-v1', request, response);
  }

  @Get()
  @ApiRoute({
    summary: 'subscriptions to changes of VNF packages',
    role: 'reader',
    query: RESOURCES.pkgmSubscriptions,
    answers: { 200: { type: 'PkgmSubscriptions', headers: ['Link'] } },
  })
  list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    return this.answers.list('vnfpkgm-v1', request, response);
  }

  @Get(':id')
  @ApiRoute({
    summary: 'one subscription to changes of VNF packages',
    role: 'reader',
    answers: { 200: { type: 'PkgmSubscription' } },
  })
  show(@Req() request: IdentifiedRequest): Promise<object> {
    return this.answers.show('vnfpkgm-v1', request);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiRoute({ summary: 'end a subscription to changes of VNF packages', role: 'operator', answers: { 204: {} } })
  delete(@Req() request: IdentifiedRequest): Promise<void> {
    return this.answers.delete('vnfpkgm-v1', request);
  }
}
