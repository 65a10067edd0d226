import { describe, expect, it } from 'vitest';
import { subscriptionKey } from './subscription-key.js';

const key = (filter?: object, callbackUri = 'http://c/') => subscriptionKey({ callbackUri, filter });

describe('subscriptionKey', () => {
  it('is equal for filters that ask for the same', () => {
    const filter = {
      operationTypes: ['HEAL', 'SCALE'],
      vnfInstanceSubscriptionFilter: { vnfdIds: ['a', 'b'], vnfInstanceIds: ['i'] },
    };
    const turned = {
      vnfInstanceSubscriptionFilter: { vnfInstanceIds: ['i'], vnfdIds: ['b', 'a'], vnfInstanceNames: [] },
      operationStates: null,
      operationTypes: ['SCALE', 'HEAL', 'SCALE'],
    };
    expect(key(turned)).toBe(key(filter));
    expect(key({ notificationTypes: [], vnfInstanceSubscriptionFilter: {} })).toBe(key());
  });

  it('differs for all else', () => {
    const provider = (name: string, product: string) => ({
      vnfInstanceSubscriptionFilter: {
        vnfProductsFromProviders: [{ vnfProvider: name, vnfProducts: [{ vnfProductName: product }] }],
      },
    });
    const keys = [
      key(),
      key(undefined, 'http://d/'),
      key({ operationTypes: ['HEAL'] }),
      key({ operationStates: ['HEAL'] }),
      key({ operationTypes: ['HEAL', 'SCALE'] }),
      key(provider('a', 'b')),
      key(provider('b', 'a')),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
