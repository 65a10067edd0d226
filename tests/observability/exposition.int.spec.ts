import { randomBytes } from 'node:crypto';
import { startTestServers, type TestServers } from '@windlass/embedded/testing';
import { seconds } from '@windlass/foundation';
import { lcmApi } from '@windlass/lcm-api';
import { sagaCoordinator } from '@windlass/saga-coordinator';
import { startService, type ServiceConfig, type ServiceDefinition, type StartedService } from '@windlass/service-kit';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCollector, type Collector } from './support/collector.js';

const ROOT = join(import.meta.dirname, '../..');

let servers: TestServers;
let collector: Collector;
const services: StartedService[] = [];
const lines: string[] = [];

async function start<C extends ServiceConfig>(definition: ServiceDefinition<C>, more: Record<string, string>): Promise<void> {
  const { postgres, nats } = servers;
  const service = await startService(definition, {
    environment: {
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      NATS_USER: nats.user,
      NATS_PASSWORD: nats.password,
      MASTER_KEY: randomBytes(32).toString('hex'),
      ...more,
    },
    sink: { write: (line) => void lines.push(line) },
    onFailure: (error) => console.error(error),
  });
  services.push(service);
}

beforeAll(async () => {
  servers = await startTestServers();
  collector = await startCollector();
  await start(sagaCoordinator, {});
  await start(lcmApi, {
    LCM_PORT: '0',
    LCM_TOKEN: 'a-token-of-the-test-1',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=hunter2',
  });
});

afterAll(async () => {
  for (const service of services) await service.stop();
  await collector.close();
  await servers.close();
});

const metricsOf = async ({ healthUrl }: StartedService): Promise<string> => (await fetch(`${healthUrl}/metrics`)).text();

describe('what services show', () => {
  it('has every name that rules and boards ask for', async () => {
    const text = (await Promise.all(services.map(metricsOf))).join('\n');
    const shown = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
      ),
    );
    const folders = ['prometheus', 'grafana'].map((folder) => join(ROOT, 'deploy', folder));
    const asked = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith('.rules.yml') || file.endsWith('.json'))
        .flatMap((file) => [
          ...readFileSync(join(folder, file), 'utf8').matchAll(/\b(?:windlass|http|process)_[a-z_]+\b(?=[{[ )"\\<>=\n])/g),
        ]),
    );
    const names = new Set(asked.map(([name]) => name).filter((name) => !/_(code|method|route)$/.test(name)));
    expect(names.size).toBeGreaterThan(20);
    expect([...names].filter((name) => !shown.has(name))).toEqual([]);
  });

  it('has a line of what an alert rests on before anything has happened', async () => {
    const [coordinator = ''] = await Promise.all(services.map(metricsOf));
    for (const line of [
      'windlass_ready{service="saga-coordinator"} 1',
      'windlass_dependency_up{dependency="nats",service="saga-coordinator"} 1',
      'windlass_dependency_up{dependency="database",service="saga-coordinator"} 1',
      'windlass_operations{state="FAILED_TEMP",service="saga-coordinator"} 0',
      'windlass_outbox_unsent_messages{table="outbox",service="saga-coordinator"} 0',
      'windlass_audit_trail_troubles_total{service="saga-coordinator"} 0',
    ])
      expect(coordinator).toContain(line);
  });

  it('sends traces of a caller who wants one from the service that was told where to, with its headers, and those in no log', async () => {
    const traceId = randomBytes(16).toString('hex');
    const url = /"url":"(http:[^"]+)"/.exec(lines.find((line) => line.includes('the REST API is served')) ?? '')?.[1] ?? '';
    const headers = { 'X-Auth-Token': 'a-token-of-the-test-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    expect((await fetch(`${url}/vnflcm/v1/vnf_instances?filter=(eq,vnfInstanceName,secret)`, { headers })).status).toBe(200);
    const refused = { ...headers, 'X-Auth-Token': 'another' };
    expect((await fetch(`${url}/vnflcm/v1/vnf_instances`, { headers: refused })).status).toBe(401);
    expect((await fetch(`${url}/vnflcm/v1/vnf_instances`, { headers: { ...headers, traceparent: 'none' } })).status).toBe(200);
    await expect.poll(() => collector.spans.length, { timeout: seconds(10) }).toBe(1);
    expect(collector.spans).toMatchObject([
      { traceId, parentSpanId: '00f067aa0ba902b7', service: 'lcm-api', name: 'GET /vnflcm/v1/vnf_instances' },
    ]);
    expect(JSON.stringify(collector.spans)).not.toContain('secret');
    expect(collector.headers[0]).toMatchObject({ 'x-tenant': 'hunter2' });
    expect(lines.join('')).not.toContain('hunter2');
    expect(await metricsOf(services[1]!)).toContain('windlass_trace_spans_total{result="sent",service="lcm-api"} 1');
  });
});
