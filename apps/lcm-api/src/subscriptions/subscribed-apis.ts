import type { SubscribedApi, SubscriptionRecord } from '@windlass/persistence';
import {
  APIS,
  LccnSubscriptionRequestBody,
  LccnSubscriptionRequestV2Body,
  PkgmSubscriptionRequestBody,
  renderLccnSubscription,
  renderPkgmSubscription,
  RESOURCES,
  type LccnSubscription,
  type LccnSubscriptionRecord,
  type PkgmSubscription,
  type PkgmSubscriptionRecord,
  type ResourceTable,
} from '@windlass/sol003';
import type { Request } from 'express';
import { readBody } from '../http/read-body.js';

/** A request for a subscription, as it follows the API's rules. */
export interface SubscriptionRequest {
  readonly callbackUri: string;
  readonly filter?: object;
  readonly verbosity?: 'FULL' | 'SHORT';
  readonly authentication?: object;
}

/** What is peculiar to the subscriptions of one API. */
export interface SubscribedApiTraits {
  readonly uriPrefix: string;
  readonly resource: ResourceTable;
  /** Status of the refusal where the callback's test fails: the reference system's of that version. */
  readonly testFailed: 400 | 422;
  /** @throws RequestError 400 with the path of each wrong field */
  readonly read: (request: Request) => SubscriptionRequest;
  readonly render: (record: SubscriptionRecord, root: string) => LccnSubscription | PkgmSubscription;
}

const lccn = (record: SubscriptionRecord, root: string) => renderLccnSubscription(shown(record) as LccnSubscriptionRecord, root);

/** The APIs that can be subscribed at. */
export const SUBSCRIBED_APIS: Readonly<Record<SubscribedApi, SubscribedApiTraits>> = {
  'vnflcm-v1': {
    uriPrefix: APIS.vnflcmV1.uriPrefix,
    resource: RESOURCES.lccnSubscriptions,
    testFailed: 400,
    read: (request) => readBody(LccnSubscriptionRequestBody, request),
    render: lccn,
  },
  'vnflcm-v2': {
    uriPrefix: APIS.vnflcmV2.uriPrefix,
    resource: RESOURCES.lccnSubscriptions,
    testFailed: 422,
    read: (request) => readBody(LccnSubscriptionRequestV2Body, request),
    render: (record, root) => lccn({ ...record, verbosity: record.verbosity ?? 'FULL' }, root),
  },
  'vnfpkgm-v1': {
    uriPrefix: APIS.vnfpkgmV1.uriPrefix,
    resource: RESOURCES.pkgmSubscriptions,
    testFailed: 400,
    read: (request) => readBody(PkgmSubscriptionRequestBody, request),
    render: (record, root) => renderPkgmSubscription(shown(record) as PkgmSubscriptionRecord, root),
  },
};

const shown = ({ id, callbackUri, filter, verbosity }: SubscriptionRecord): object => ({
  id,
  callbackUri,
  ...(filter === null ? {} : { filter }),
  ...(verbosity === null ? {} : { verbosity }),
});
