import { describe, expect, it } from 'vitest';
import { subscriptionLine } from './subsc.js';

const state = {
  id: 's',
  api: 'vnflcm-v1',
  callbackUri: 'http://nfvo/',
  pending: 0,
  oldestAge: 0,
  attempts: 0,
  retryAt: null,
  delivered: 3,
  failed: 0,
  dropped: 0,
  lastSuccessAt: '2026-11-22T21:00:00.000Z',
  lastFailureAt: null,
  lastFailure: null,
  lastStatus: null,
};

describe('the line of a subscription', () => {
  it('says that nothing waits', () => {
    expect(subscriptionLine(state)).toBe(
      's  vnflcm-v1  http://nfvo/  nothing waits  3 delivered  last success 2026-11-22T21:00:00.000Z',
    );
  });

  it('says what waits, what failed and what was dropped', () => {
    const failing = { pending: 2, oldestAge: 61.7, dropped: 4, lastSuccessAt: null, retryAt: 'soon' };
    const line = subscriptionLine({
      ...state,
      ...failing,
      lastFailureAt: 'now',
      lastFailure: 'the subscriber answered 500; expected 204',
    });
    expect(line).toBe(
      's  vnflcm-v1  http://nfvo/  2 wait, the oldest for 62 s  3 delivered  4 DROPPED  no success yet  last failure now: the subscriber answered 500; expected 204  tried again soon',
    );
  });
});
