import type { SubscribedApi, SubscriptionRecord } from '@windlass/persistence';
import { subscriptionUrl } from '@windlass/sol003';
import type { Response } from 'express';
import { answerList } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import type { PublicUrl } from '../links/public-url.js';
import { SUBSCRIBED_APIS } from './subscribed-apis.js';
import type { Subscriptions } from './subscriptions.js';

/** How requests about subscriptions are answered, whatever the API. */
export class SubscriptionAnswers {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly publicUrl: PublicUrl,
  ) {}

  /**
   * 201 for a new subscription. For one that asks for the same as an existing one 303, with that one's `Location` and no body (SOL003 5.4.18.3.1).
   */
  async create(api: SubscribedApi, request: IdentifiedRequest, response: Response): Promise<void> {
    const body = SUBSCRIBED_APIS[api].read(request);
    response.status(201);
    const { id, added } = await this.subscriptions.add(identityOf(request).tenant, api, body);
    response.set('Location', subscriptionUrl(this.#root(api), id));
    if (added === undefined) response.status(303).end();
    else response.json(this.#shown(api, added));
  }

  list(api: SubscribedApi, request: IdentifiedRequest, response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    return answerList(request, response, this.publicUrl, SUBSCRIBED_APIS[api].resource, async (after, limit) =>
      (await this.subscriptions.page(tenant, api, after, limit)).map((record) => this.#shown(api, record)),
    );
  }

  async show(api: SubscribedApi, request: IdentifiedRequest): Promise<object> {
    return this.#shown(api, await this.subscriptions.find(identityOf(request).tenant, api, idOf(request)));
  }

  async delete(api: SubscribedApi, request: IdentifiedRequest): Promise<void> {
    await this.subscriptions.delete(identityOf(request).tenant, api, idOf(request));
  }

  #shown = (api: SubscribedApi, record: SubscriptionRecord) => SUBSCRIBED_APIS[api].render(record, this.#root(api));

  #root = (api: SubscribedApi): string => this.publicUrl.of(SUBSCRIBED_APIS[api].uriPrefix);
}

const idOf = (request: IdentifiedRequest): string => String(request.params.id);
