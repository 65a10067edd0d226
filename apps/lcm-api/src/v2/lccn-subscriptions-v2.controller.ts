import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { LccnSubscriptionRequestV2Body, RESOURCES } from '@windlass/sol003';
import type { Response } from 'express';
import type { IdentifiedRequest } from '../http/identity.js';
import { ApiRoute } from '../routes/route.js';
import { SubscriptionAnswers } from '../subscriptions/subscription-answers.js';

/** `/vnflcm/v2/subscriptions` (SOL003 3.3.1, 5.4.18 - 5.4.19): as v1's, with `verbosity`; its subscribers get v2's notifications. */
@Controller('vnflcm/v2/subscriptions')
export class LccnSubscriptionsV2Controller {
  constructor(private readonly answers: SubscriptionAnswers) {}

  @Post()
  @HttpCode(201)
  @ApiRoute({
    summary: 'subscribe to VNF lifecycle changes',
    role: 'operator',
    body: { of: LccnSubscriptionRequestV2Body },
    answers: { 201: { schema: { type: 'object' }, headers: ['Location'] }, 303: { headers: ['Location'] } },
    refusals: [409, 422],
  })
  create(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    return this.answers.create('vnflcm-v2', request, response);
  }

  @Get()
  @ApiRoute({
    summary: 'subscriptions to VNF lifecycle changes',
    role: 'reader',
    query: RESOURCES.lccnSubscriptions,
    answers: { 200: { schema: { type: 'array', items: { type: 'object' } }, headers: ['Link'] } },
  })
  list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    return this.answers.list('vnflcm-v2', request, response);
  }

  @Get(':id')
  @ApiRoute({
    summary: 'one subscription to VNF lifecycle changes',
    role: 'reader',
    answers: { 200: { schema: { type: 'object' } } },
  })
  show(@Req() request: IdentifiedRequest): Promise<object> {
    return this.answers.show('vnflcm-v2', request);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiRoute({ summary: 'end a subscription to VNF lifecycle changes', role: 'operator', answers: { 204: {} } })
  delete(@Req() request: IdentifiedRequest): Promise<void> {
    return this.answers.delete('vnflcm-v2', request);
  }
}
