import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  childTrace,
  millis,
  operationTrace,
  seconds,
  startTrace,
  stepTrace,
  waitUntil,
  type EndedWork,
} from '@windlass/foundation';
import { afterEach, describe, expect, it } from 'vitest';
import { otlpHeadersOf, asOtlpEndpoint } from '../config/otlp-headers.js';
import { OtlpExporter, type SpanFate } from './otlp-exporter.js';
import { isRecorded, otlpSpan } from './otlp-span.js';

const OPERATION = '9f1a3c52-7d1e-4b7a-9c1f-0e5a6b7c8d9e';
const work: EndedWork = {
  kind: 'operation',
  name: 'SCALE',
  span: operationTrace(OPERATION),
  startedAt: 1_000.25,
  endedAt: 3_000,
  outcome: 'completed',
  failed: false,
  attributes: { 'windlass.operation.id': OPERATION, tries: 2, share: 0.5, isLast: true },
};

let server: Server | undefined;
let exporter: OtlpExporter | undefined;
afterEach(async () => {
  await exporter?.stop();
  server?.closeAllConnections();
  server?.close();
  exporter = undefined;
  server = undefined;
});

/** A collector that answers so, and what it was sent. */
async function collector(answer: () => number) {
  const taken: { request: IncomingMessage; text: string }[] = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    request.on('end', () => {
      taken.push({ request, text });
      response.writeHead(answer()).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function exporterTo(endpoint: string) {
  const fates: Record<SpanFate, number> = { sent: 0, dropped: 0, refused: 0 };
  const lines: string[] = [];
  const say = (message: string, fields?: object): void => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  exporter = new OtlpExporter({
    endpoint,
    headers: { authorization: 'Bearer hunter2' },
    service: 'k8s-mgmt',
    version: '1.2.3',
    replica: 'k8s-mgmt@here',
    log: { info: say, warn: say },
    count: (fate, spans) => void (fates[fate] += spans),
    every: millis(10),
  });
  return { exporter, fates, lines };
}

const until = (what: string, isSo: () => boolean): Promise<boolean> =>
  waitUntil(() => Promise.resolve(isSo() || undefined), { for: what, within: seconds(20), every: millis(5) });

describe('spans on their way to a collector', () => {
  it('go to /v1/traces as OTLP has them in JSON, with the headers of the operator', async () => {
    const { taken, url } = await collector(() => 200);
    const { exporter: sending, fates } = exporterTo(`${url}/tenant/`);
    sending.ended(work);
    await until('the span', () => fates.sent === 1);
    const [{ request, text } = { request: undefined, text: '' }] = taken;
    expect(request).toMatchObject({ method: 'POST', url: '/tenant/v1/traces' });
    expect(request?.headers).toMatchObject({ authorization: 'Bearer hunter2', 'content-type': 'application/json' });
    expect(JSON.parse(text)).toEqual({
      resourceSpans: [
        {
          resource: {
            attributes: [
              { key: 'service.name', value: { stringValue: 'k8s-mgmt' } },
              { key: 'service.namespace', value: { stringValue: 'windlass' } },
              { key: 'service.version', value: { stringValue: '1.2.3' } },
              { key: 'service.instance.id', value: { stringValue: 'k8s-mgmt@here' } },
            ],
          },
          scopeSpans: [{ scope: { name: 'windlass', version: '1.2.3' }, spans: [otlpSpan(work)] }],
        },
      ],
    });
    expect(otlpSpan(work)).toMatchObject({
      traceId: '9f1a3c527d1e4b7a9c1f0e5a6b7c8d9e',
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      parentSpanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      startTimeUnixNano: '1000250000',
      endTimeUnixNano: '3000000000',
      status: {},
    });
    expect(otlpSpan(work).attributes).toContainEqual({ key: 'tries', value: { intValue: '2' } });
    expect(otlpSpan(work).attributes).toContainEqual({ key: 'share', value: { doubleValue: 0.5 } });
    expect(otlpSpan(work).attributes).toContainEqual({ key: 'isLast', value: { boolValue: true } });
  });

  it('wait for a collector that is busy, and are sent once', async () => {
    let busy = 3;
    const { taken, url } = await collector(() => (busy-- > 0 ? 503 : 200));
    const { exporter: sending, fates, lines } = exporterTo(url);
    sending.ended(work);
    await until('the span', () => fates.sent === 1);
    expect(taken).toHaveLength(4);
    expect(fates).toEqual({ sent: 1, dropped: 0, refused: 0 });
    expect(lines).toHaveLength(2);
  });

  it('are not sent again where the collector refuses them', async () => {
    const { taken, url } = await collector(() => 401);
    const { exporter: sending, fates, lines } = exporterTo(url);
    sending.ended(work);
    await until('the refusal', () => fates.refused === 1);
    expect(taken).toHaveLength(1);
    expect(lines.join('')).toContain('the collector answered 401');
    expect(lines.join('')).not.toContain('hunter2');
  });

  it('cost a bounded queue and a count where nobody listens, one line in the log, and no time at the end', async () => {
    const { exporter: sending, fates, lines } = exporterTo('http://127.0.0.1:1');
    for (let n = 0; n < 5_000; n++) sending.ended(work);
    expect(fates).toEqual({ sent: 0, dropped: 5_000 - 2_048, refused: 0 });
    await until('the line', () => lines.length > 0);
    await sending.stop();
    expect(fates).toEqual({ sent: 0, dropped: 5_000, refused: 0 });
    expect(lines).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });
});

describe('what becomes a span', () => {
  const call = (span: EndedWork['span']): EndedWork => ({ ...work, kind: 'vim', span });

  it('belongs to an operation or to a caller who wants it; what nobody asked for does not', () => {
    expect(isRecorded(call(childTrace({}, stepTrace({ operationId: OPERATION, stepId: 's', epoch: 1 }))))).toBe(true);
    expect(isRecorded(call(childTrace({}, { ...startTrace(), sampled: false })))).toBe(false);
    expect(isRecorded(call(childTrace()))).toBe(false);
  });

  it('is not what a worker says whose lease was lost: the coordinator has told of that claim', () => {
    const step: EndedWork = { ...work, kind: 'step', span: stepTrace({ operationId: OPERATION, stepId: 's', epoch: 1 }) };
    expect(isRecorded({ ...step, outcome: 'lease-lost' })).toBe(false);
    expect(isRecorded({ ...step, outcome: 'done' })).toBe(true);
  });

  it('is another one for each claim of a step, and the same whoever tells of it', () => {
    const spanOf = (epoch: number): string => stepTrace({ operationId: OPERATION, stepId: 's', epoch }).spanId;
    expect(spanOf(1)).toBe(spanOf(1));
    expect(spanOf(1)).not.toBe(spanOf(2));
    expect(operationTrace('not-a-uuid').traceId).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('how a collector is named', () => {
  it.each([
    ['authorization=Bearer%20a', { authorization: 'Bearer a' }],
    ['X-Scope=one, x-token=a=b', { 'x-scope': 'one', 'x-token': 'a=b' }],
    ['authorization', undefined],
    ['a b=c', undefined],
    ['a=%0d%0aHost: x', undefined],
    ['a=%', undefined],
    ['', undefined],
  ])('takes headers %j', (text, headers) => {
    expect(otlpHeadersOf(text)).toEqual(headers);
  });

  it.each([
    ['http://collector:4318', true],
    ['https://collector/otlp', true],
    ['collector:4318', false],
    ['grpc://collector:4317', false],
    ['http://user:pw@collector', false],
    ['http://collector/?token=a', false],
  ])('takes the address %s: %s', (text, taken) => {
    expect(asOtlpEndpoint(text) !== undefined).toBe(taken);
  });
});
