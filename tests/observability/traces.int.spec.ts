import { millis, observing, seconds, traceIdOf, waitUntil, type Observer } from '@windlass/foundation';
import { ServiceMetrics, ServiceObserver } from '@windlass/service-kit';
import { OtlpExporter, type SpanFate } from '@windlass/service-kit/tracing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  atRest,
  createVnf,
  linkTo,
  onboard,
  quiet,
  registerVim,
  sampleRequest,
  startSystem,
  type System,
} from '../support/system.js';
import { startCollector, textOf, type Collector, type TakenSpan } from './support/collector.js';

let system: System;
let collector: Collector;
let vnfdId: unknown;
const telling = new Map<string, { observer: ServiceObserver; exporter: OtlpExporter; metrics: ServiceMetrics }>();
const fates: Record<SpanFate, number> = { sent: 0, dropped: 0, refused: 0 };

/** As a service's start makes it, sending often. */
function observerOf(service: string): Observer {
  const known = telling.get(service);
  if (known !== undefined) return known.observer;
  const metrics = new ServiceMetrics(service, '1', () => Promise.resolve({ ready: true, checks: {} }));
  const observer = new ServiceObserver(metrics.work);
  const exporter = new OtlpExporter({
    endpoint: collector.url,
    service,
    version: '1',
    replica: `${service}@here`,
    log: quiet,
    count: (fate, spans) => void (fates[fate] += spans),
    every: millis(50),
  });
  observer.keepSpans(exporter);
  telling.set(service, { observer, exporter, metrics });
  return observer;
}

beforeAll(async () => {
  collector = await startCollector();
  system = await startSystem({ observerOf, policy: { lease: seconds(5) } });
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});

afterAll(async () => {
  await system.close();
  for (const { exporter, metrics } of telling.values()) {
    await exporter.stop();
    metrics.stop();
  }
  await collector.close();
});

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

const outcomeOf = ({ attributes }: TakenSpan): string => textOf(attributes, 'windlass.outcome');

/** Services send when each finds time: whether the ends of the operation and of its steps in the VIM are there, and what each span is below. */
function isWhole(spans: readonly TakenSpan[]): boolean {
  const ended = new Set(spans.filter((span) => ['completed', 'done'].includes(outcomeOf(span))).map(({ name }) => name));
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return (
    ['INSTANTIATE', 'create-stack', 'read-stack'].every((name) => ended.has(name)) &&
    spans.every(({ parentSpanId }) => parentSpanId === undefined || ids.has(parentSpanId))
  );
}

/** An instantiation that has come to its end, and the spans of its trace once the operation's own is there. */
async function instantiated(meanwhile: () => Promise<void> = () => Promise.resolve()) {
  const url = await createVnf(system.api, vnfdId);
  const body = await sampleRequest('instantiate-simple-vm.json', 'net0');
  const headers = { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` };
  const accepted = await system.api.post(`${url}/instantiate`, body, { headers });
  await meanwhile();
  const occurrence = await atRest(system.api, accepted);
  const traceId = traceIdOf(String(occurrence.id));
  const trace = () => collector.spans.filter((span) => span.traceId === traceId);
  await waitUntil(
    async (seen) => {
      await Promise.resolve();
      seen(
        trace()
          .map(({ name }) => name)
          .join(', '),
      );
      return isWhole(trace()) || undefined;
    },
    { for: 'the spans of the operation', within: seconds(20), every: millis(50) },
  );
  return { url, occurrence, spans: trace() };
}

const named = (spans: readonly TakenSpan[], name: RegExp): TakenSpan[] => spans.filter((span) => name.test(span.name));

describe('an operation that is instantiated while traces are sent', () => {
  it('is one trace: the request, the operation, its steps, and what the VIM was asked for them', async () => {
    const { url, occurrence, spans } = await instantiated();
    expect(occurrence).toMatchObject({ operationState: 'COMPLETED' });
    const [request] = named(spans, /^POST .*\/instantiate$/);
    const [operation] = named(spans, /^INSTANTIATE$/);
    expect(request).toMatchObject({ service: 'lcm-api', kind: 2, links: [CALLER] });
    expect(request?.parentSpanId).toBeUndefined();
    expect(operation).toMatchObject({ service: 'saga-coordinator', parentSpanId: request?.spanId, status: {} });
    expect(textOf(operation?.attributes ?? [], 'windlass.vnf_instance.id')).toBe(url.split('/').at(-1));
    const [created, read] = [/^create-stack$/, /^read-stack$/].map((name) =>
      named(spans, name).find((span) => outcomeOf(span) === 'done'),
    );
    for (const step of [created, read]) expect(step).toMatchObject({ service: 'infra-driver', parentSpanId: operation?.spanId });
    const posts = named(spans, /^POST orchestration$/);
    expect(posts.map(({ parentSpanId }) => parentSpanId)).toEqual([created?.spanId]);
    expect(posts[0]).toMatchObject({ kind: 3 });
    // Everything in it hangs together.
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    expect(spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))).toEqual([]);
    // The caller's own trace has the request too, and what was looked at before the 202.
    const ofCaller = collector.spans.filter(({ traceId }) => traceId === CALLER.traceId);
    expect(named(ofCaller, /^POST .*\/instantiate$/)).toMatchObject([{ parentSpanId: CALLER.spanId, service: 'lcm-api' }]);
    expect(named(ofCaller, /orchestration|network|compute/).map(({ service }) => service)).toContain('vim-registry');
    await atRest(system.api, await system.api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
  });

  it('has a span for a claim whose worker was lost, and another for the next, under the same operation', async () => {
    await system.worker.stop();
    const doomed = await observing(observerOf('infra-driver'), () => linkTo(system, 'doomed'));
    await observing(observerOf('infra-driver'), () => system.infra(doomed));
    const before = system.emulator.count('POST', /\/orchestration\/.*\/stacks/);
    const { occurrence, spans } = await instantiated(async () => {
      await waitUntil(() => Promise.resolve(system.emulator.count('POST', /\/orchestration\/.*\/stacks/) > before || undefined), {
        for: 'the stack to be asked for',
        within: seconds(30),
        every: millis(2),
      });
      await doomed.close();
      system.worker = await observing(observerOf('infra-driver'), () => system.infra());
    });
    expect(occurrence).toMatchObject({ operationState: 'COMPLETED' });
    const lost = spans.filter((span) => outcomeOf(span) === 'lost');
    expect(lost[0]).toMatchObject({ service: 'saga-coordinator', status: { code: 2, message: 'lost' } });
    const next = spans.find((span) => span.name === lost[0]?.name && outcomeOf(span) === 'done');
    expect(next).toMatchObject({ service: 'infra-driver', parentSpanId: lost[0]?.parentSpanId, status: {} });
    expect(next?.spanId).not.toBe(lost[0]?.spanId);
  });

  it('that somebody has `fail` is told of by the lcm-api that was asked', async () => {
    const { api, emulator } = system;
    emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'no', times: 'always' });
    const url = await createVnf(api, vnfdId);
    const body = await sampleRequest('instantiate-simple-vm.json', 'net0');
    const occurrence = await atRest(api, await api.post(`${url}/instantiate`, body));
    emulator.faults.clear();
    expect(occurrence).toMatchObject({ operationState: 'FAILED_TEMP' });
    const id = String(occurrence.id);
    expect((await api.post(`/vnflcm/v1/vnf_lcm_op_occs/${id}/fail`)).data).toMatchObject({ operationState: 'FAILED' });
    const own = () => collector.spans.filter(({ traceId, name }) => traceId === traceIdOf(id) && name === 'INSTANTIATE');
    await waitUntil(() => Promise.resolve(own().length > 0 || undefined), {
      for: 'the span of the operation',
      within: seconds(20),
      every: millis(50),
    });
    expect(own()).toMatchObject([{ service: 'lcm-api', status: { code: 2, message: 'abandoned' } }]);
    expect(textOf(own()[0]?.attributes ?? [], 'windlass.operation.status')).toBe('FAILED');
  });

  it('shows no secret, no body and no query, and drops nothing', () => {
    const text = JSON.stringify(collector.spans);
    const { password, user } = system.emulator.tenant;
    for (const secret of [password, user, 'test-token', '?', 'X-Auth-Token']) expect(text).not.toContain(secret);
    expect(fates).toMatchObject({ dropped: 0, refused: 0 });
  });

  it('is counted by route, by service of the VIM and by step, with no identifier in any label', async () => {
    const texts = await Promise.all([...telling.values()].map(async ({ metrics }) => (await metrics.text()).text));
    const text = texts.join('\n');
    for (const line of [
      /http_server_request_duration_seconds_count\{service="lcm-api",http_request_method="POST",http_route="[^"]*\/:id\/instantiate",http_response_status_code="202"\} 3/,
      /windlass_vim_request_duration_seconds_count\{service="infra-driver",vim_service="orchestration",method="POST",outcome="2xx"\} \d/,
      /windlass_step_duration_seconds_count\{service="infra-driver",phase="do",outcome="done"\} \d/,
    ])
      expect(line.test(text), String(line)).toBe(true);
    expect(/[0-9a-f]{8}-[0-9a-f]{4}-/.exec(text)).toBeNull();
  });

  it('goes on as ever while the collector is away', async () => {
    collector.answers = 503;
    const { api } = system;
    const url = await createVnf(api, vnfdId);
    const body = await sampleRequest('instantiate-simple-vm.json', 'net0');
    expect(await atRest(api, await api.post(`${url}/instantiate`, body))).toMatchObject({ operationState: 'COMPLETED' });
    collector.answers = 200;
  });
});
