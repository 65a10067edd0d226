import { Controller, Delete, Get, HttpCode, Post, Req, Res, type Type } from '@nestjs/common';
import type { SubscribedApi } from '@windlass/persistence';
import {
  LccnSubscriptionRequestBody,
  LccnSubscriptionRequestV2Body,
  PkgmSubscriptionRequestBody,
  type BodyClass,
} from '@windlass/sol003';
import type { Response } from 'express';
import type { IdentifiedRequest } from '../caller/identity.js';
import { ApiRoute, type Answer } from '../routes/route.js';
import { SUBSCRIBED_APIS } from './subscribed-apis.js';
import { SubscriptionAnswers } from './subscription-answers.js';

/** What the routes of one API's subscriptions are told by. */
interface SubscriptionRoutes {
  /** What is subscribed to. */
  to: string;
  body: BodyClass;
  one: Answer;
  all: Answer;
  /** Of a request for a subscription. */
  refusals: readonly number[];
}

/** The resource of the subscriptions at one API. */
function subscriptionsController(api: SubscribedApi, { to, body, one, all, refusals }: SubscriptionRoutes): Type<object> {
  const { uriPrefix, resource } = SUBSCRIBED_APIS[api];

  @Controller(`${uriPrefix}/subscriptions`)
  class SubscriptionsController {
    constructor(private readonly answers: SubscriptionAnswers) {}

    @Post()
    @HttpCode(201)
    @ApiRoute({
      summary: `subscribe to ${to}`,
      role: 'operator',
      body: { of: body },
      answers: { 201: { ...one, headers: ['Location'] }, 303: { headers: ['Location'] } },
      refusals,
    })
    create(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      return this.answers.create(api, request, response);
    }

    @Get()
    @ApiRoute({
      summary: `subscriptions to ${to}`,
      role: 'reader',
      query: resource,
      answers: { 200: { ...all, headers: ['Link'] } },
    })
    list(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
      return this.answers.list(api, request, response);
    }

    @Get(':id')
    @ApiRoute({ summary: `one subscription to ${to}`, role: 'reader', answers: { 200: one } })
    show(@Req() request: IdentifiedRequest): Promise<object> {
      return this.answers.show(api, request);
    }

    @Delete(':id')
    @HttpCode(204)
    @ApiRoute({ summary: `end a subscription to ${to}`, role: 'operator', answers: { 204: {} } })
    delete(@Req() request: IdentifiedRequest): Promise<void> {
      return this.answers.delete(api, request);
    }
  }

  return SubscriptionsController;
}

/** Those of SOL003 5.4.18 - 5.4.19 in both versions (v2's subscribers get v2's notifications, and choose `verbosity`), and of 9.4.7 - 9.4.8. */
export const subscriptionControllers = [
  subscriptionsController('vnflcm-v1', {
    to: 'VNF lifecycle changes',
    body: LccnSubscriptionRequestBody,
    one: { type: 'LccnSubscription' },
    all: { type: 'LccnSubscriptions' },
    refusals: [409],
  }),
  subscriptionsController('vnflcm-v2', {
    to: 'VNF lifecycle changes',
    body: LccnSubscriptionRequestV2Body,
    one: { schema: { type: 'object' } },
    all: { schema: { type: 'array', items: { type: 'object' } } },
    refusals: [409, 422],
  }),
  subscriptionsController('vnfpkgm-v1', {
    to: 'changes of VNF packages',
    body: PkgmSubscriptionRequestBody,
    one: { type: 'PkgmSubscription' },
    all: { type: 'PkgmSubscriptions' },
    refusals: [409],
  }),
];
