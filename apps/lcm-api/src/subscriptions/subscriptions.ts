import { RequestError, WindlassError } from '@windlass/foundation';
import type { OutboundClient } from '@windlass/outbound';
import type { PgSubscriptions, SubscribedApi, SubscriptionRecord } from '@windlass/persistence';
import type { RequestTrail } from '../trail/request-trail.js';
import { callbackAuth } from './callback-auth.js';
import { SUBSCRIBED_APIS, type SubscriptionRequest } from './subscribed-apis.js';

/** Subscriptions of a project to what an API notifies (SOL003 5.4.18 - 5.4.19, 9.4.7 - 9.4.8). */
export class Subscriptions {
  constructor(
    private readonly kept: PgSubscriptions,
    private readonly outbound: OutboundClient,
    private readonly trail: RequestTrail,
    /** Whether a callback is asked before it is subscribed; where it may lie is looked at in any case. */
    private readonly testsCallbacks: boolean,
    /** How many a project may have at an API. */
    private readonly most: number,
  ) {}

  /**
   * @returns the subscription's id; `added` where it is new, and not where an existing one asks for the same
   * @throws RequestError 409 `subscription.too-many` where the project has as many as it may; 409 `subscription.changed` where an equal one was made
   *   and deleted meanwhile; 400 (v2: 422) `subscription.callback-failed` where the callback may not be connected to, or does not answer 204
   */
  async add(
    tenant: string,
    api: SubscribedApi,
    request: SubscriptionRequest,
  ): Promise<{ id: string; added?: SubscriptionRecord }> {
    const asked = { tenant, api, ...request };
    const equal = await this.kept.equalTo(asked);
    if (equal !== undefined) return { id: equal };
    await this.#test(api, request);
    const added = await this.trail.withChange((manager) => this.kept.add(manager, asked, this.most));
    if (added !== undefined) return { id: added.id, added };
    // Another request has added the same meanwhile; where that one is deleted again already, this client may try again.
    const other = await this.kept.equalTo(asked);
    if (other === undefined)
      throw new RequestError(409, 'subscription.changed', 'an equal subscription was made and deleted meanwhile: try again');
    return { id: other };
  }

  page(tenant: string, api: SubscribedApi, after: string | undefined, limit: number | undefined): Promise<SubscriptionRecord[]> {
    return this.kept.page(tenant, api, after, limit);
  }

  /** @throws RequestError 404, also for another project's and another API's */
  find(tenant: string, api: SubscribedApi, id: string): Promise<SubscriptionRecord> {
    return this.kept.find(tenant, api, id);
  }

  /** @throws RequestError 404 */
  async delete(tenant: string, api: SubscribedApi, id: string): Promise<void> {
    await this.trail.withChange((manager) => this.kept.remove(manager, tenant, api, id));
  }

  async #test(api: SubscribedApi, { callbackUri, authentication }: SubscriptionRequest): Promise<void> {
    const auth = callbackAuth(authentication);
    const { testFailed } = SUBSCRIBED_APIS[api];
    try {
      if (auth?.kind === 'oauth2') await this.outbound.check(auth.tokenEndpoint);
      await this.outbound.check(callbackUri);
      if (!this.testsCallbacks) return;
      const { status } = await this.outbound.send({ method: 'GET', url: callbackUri, auth });
      if (status !== 204) throw failed(testFailed, '/callbackUri', `answered ${status} to a GET; expected 204`);
    } catch (error) {
      if (error instanceof RequestError || !(error instanceof WindlassError)) throw error;
      const path = error.code.startsWith('outbound.token') ? '/authentication' : '/callbackUri';
      throw failed(testFailed, path, error.message);
    }
  }
}

const failed = (status: 400 | 422, path: string, reason: string): RequestError =>
  new RequestError(status, 'subscription.callback-failed', `the callback could not be tested: ${reason}`, {
    title: 'Failed to Test Notification',
    invalidParams: [{ path, reason }],
  });
