import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { LccnSubscriptionRequestBody, RESOURCES } from '@windlass/sol003';
import type { Response } from 'express';
import type { IdentifiedRequest } from '../http/identity.js';
import { ApiRoute } from '../routes/route.js';
import { SubscriptionAnswers } from './subscription-answers.js';

/** `/vnflcm/v1/subscriptions` (SOL003 5.4.18 - 5.4.19). */
@Controller('vnflcm/v1/subscriptions')
export class LccnSubscriptionsController {
  constructor(private readonly answers: SubscriptionAnswers) {}

  @Post()
  @HttpCode(201)
  @ApiRoute({
    summary: 'subscribe to VNF lifecycle changes',
    role: 'operator',
    body: { of: LccnSubscriptionRequestBody },
    answers: { 201: { type: 'LccnSubscription', headers: ['Location'] }, 303: { headers: ['Location'] } },
    refusals: [409],
  })
  create(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    return this.answers.create('vnflcm-v1', request, response);
  }

  @Get()
  @ApiRoute({
    summary: 'subscriptions to VNF lifecycle changes',
    role: 'reader',
    query: RESOURCES.lccnSubscriptions,
    answers: { 200: { type: 'LccnSubscriptions', headers: ['Link'] } },
  })
  list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    return this.answers.list('vnflcm-v1', request, response);
  }

  @Get(':id')
  @ApiRoute({
    summary: 'one subscription to VNF lifecycle changes',
    role: 'reader',
    answers: { 200: { type: 'LccnSubscription' } },
  })
  show(@Req() request: IdentifiedRequest): Promise<object> {
    return this.answers.show('vnflcm-v1', request);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiRoute({ summary: 'end a subscription to VNF lifecycle changes', role: 'operator', answers: { 204: {} } })
  delete(@Req() request: IdentifiedRequest): Promise<void> {
    return this.answers.delete('vnflcm-v1', request);
  }
}
