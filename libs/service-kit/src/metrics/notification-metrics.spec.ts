import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { notificationMetrics } from './notification-metrics.js';

describe('the metrics of notifications', () => {
  it('tell what waits for each API, and count what became of deliveries', async () => {
    const registry = new Registry();
    const count = notificationMetrics(registry, () => Promise.resolve([{ api: 'vnflcm-v1', pending: 3, oldestAge: 12.5 }]));
    count('delivered', 1);
    count('dropped', 7);
    const text = await registry.metrics();
    expect(text).toContain('windlass_notifications_pending{api="vnflcm-v1"} 3');
    expect(text).toContain('windlass_notifications_oldest_age_seconds{api="vnflcm-v1"} 12.5');
    expect(text).toContain('windlass_notification_deliveries_total{result="delivered"} 1');
    expect(text).toContain('windlass_notification_deliveries_total{result="dropped"} 7');
  });
});
