import type { AxiosInstance } from 'axios';
import { millis, type JsonObject } from '@windlass/foundation';
import type { LcmApiDependencies } from '@windlass/lcm-api';
import { defaultOutboundRules } from '@windlass/outbound';

/** Options of lcm-api with which subscribers on this machine are reached, and failed notifications are soon sent again. */
export const NOTIFYING: Pick<LcmApiDependencies, 'outbound' | 'notifications'> = {
  outbound: { rules: { ...defaultOutboundRules, allow: ['127.0.0.0/8'] } },
  notifications: { senders: { poll: millis(100), firstPause: millis(50), longestPause: millis(200) } },
};

export const SUBSCRIPTIONS = '/vnflcm/v1/subscriptions';

/** Subscribes. Returns the subscription of the answer. */
export async function subscribe(api: AxiosInstance, body: JsonObject, path = SUBSCRIPTIONS): Promise<JsonObject> {
  const { status, data } = await api.post<JsonObject>(path, body);
  if (status !== 201) throw new Error(`not subscribed: ${status} ${JSON.stringify(data)}`);
  return data;
}
