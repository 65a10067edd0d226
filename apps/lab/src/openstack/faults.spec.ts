import { millis, seconds, waitUntil, type Json } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, pathOf, send, TestClient, text } from './testing/client.js';
import { groupStack, templateOf } from './testing/templates.js';

describe('the lab misbehaves on demand', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  beforeEach(async () => {
    emulator = await OpenStackEmulator.start();
    client = await TestClient.login(emulator);
  });
  afterEach(async () => {
    expect(emulator.brokenness).toEqual([]);
    await emulator.stop();
  });

  const one = templateOf('  port: {type: OS::Neutron::Port, properties: {network: net0}}\n');
  const post = (name: string): Promise<{ status: number; body: Json }> =>
    client.heat('POST', '/stacks', { stack_name: name, template: one });

  it('fails the creation of a resource once, and not again', async () => {
    emulator.faults.add({ kind: 'fail-resource', resource: 'port', reason: 'the lab said so', times: 1 });
    const failed = await client.create('once', one);
    expect(failed).toMatchObject({
      stack_status: 'CREATE_FAILED',
      stack_status_reason: 'Resource CREATE failed: ResourceInError: resources.port: the lab said so',
    });
    expect((await client.update(failed, { existing: true })).stack_status).toBe('UPDATE_COMPLETE');
    expect(emulator.faults.list()).toEqual([]);
  });

  it('fails a resource inside of a group by its type, until the fault is taken away', async () => {
    const id = emulator.faults.add({ kind: 'fail-resource', resource: 'OS::Nova::Server', reason: 'no power', times: 'always' });
    const requested = groupStack({ desired: 2 });
    const stack = await client.create('always', requested.template, requested);
    expect(stack.stack_status_reason).toMatch(
      /^Resource CREATE failed: ResourceInError: resources\.group\.resources\.[a-z2-7]{12}\.resources\.vdu: no power$/,
    );
    expect((await client.update(stack, { existing: true })).stack_status).toBe('UPDATE_FAILED');
    emulator.faults.remove(id);
    expect((await client.update(stack, { existing: true })).stack_status).toBe('UPDATE_COMPLETE');
  });

  it('makes a stack slow, and gives up the waiting when the stack is deleted', async () => {
    emulator.faults.add({ kind: 'slow-stack', delayMs: 60_000, stackName: '^slow', times: 1 });
    await post('slow-1');
    const stack = await client.stack('slow-1');
    expect(stack?.stack_status).toBe('CREATE_IN_PROGRESS');
    await client.remove(stack!);
  });

  it('does what was asked but loses the answer', async () => {
    emulator.faults.add({ kind: 'lost-answer', method: 'POST', path: '/stacks$', times: 1 });
    await expect(post('lost')).rejects.toThrow();
    expect((await client.settled('lost')).stack_status).toBe('CREATE_COMPLETE');
    expect(emulator.requests.filter((request) => request.status === 0)).toHaveLength(1);
    expect((await post('lost')).status).toBe(409);
  });

  it.each([500, 503, 429])('answers %i to the next two requests that match, without doing them', async (status) => {
    emulator.faults.add({ kind: 'status', status, method: 'POST', path: '/stacks$', times: 2, retryAfterSeconds: 1 });
    const replies = [
      await client.heat('POST', '/stacks', { stack_name: 'no', template: one }),
      await post('no'),
      await post('no'),
    ];
    expect(replies.map((reply) => reply.status)).toEqual([status, status, 201]);
    expect(at(replies[0]!.body, 'code')).toBe(status);
    expect(emulator.count('POST', /\/stacks$/)).toBe(3);
  });

  it('speaks of the failure in the manner of the service that is asked', async () => {
    for (const path of ['^/network', '^/compute', '^/image', '^/volume', '^/identity/v3/regions']) {
      emulator.faults.add({ kind: 'status', status: 503, path, times: 1 });
    }
    expect(Object.keys((await client.neutron('GET', '/ports')).body as object)).toEqual(['NeutronError']);
    expect(Object.keys((await client.nova('GET', '/servers')).body as object)).toEqual(['serviceUnavailable']);
    expect(text((await client.glance('GET', '/images')).body)).toContain('<title>503 Service Unavailable</title>');
    expect((await client.cinder('GET', '/volumes')).status).toBe(503);
    expect(at((await client.send('GET', `${emulator.url}/regions`)).body, 'error')).toMatchObject({ code: 503 });
  });

  it('hangs a request until the client goes, and does not do it', async () => {
    emulator.faults.add({ kind: 'hang', method: 'POST', path: '/stacks$', times: 1 });
    const hanging = fetch(`${client.endpoints.orchestration}/stacks`, {
      method: 'POST',
      headers: { 'X-Auth-Token': client.token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ stack_name: 'hung', template: one }),
      signal: AbortSignal.timeout(50),
    });
    await expect(hanging).rejects.toThrow();
    await waitUntil(async () => Promise.resolve(emulator.count('POST', /\/stacks$/) === 1 ? true : undefined), {
      for: 'the hung request to be given up',
      within: seconds(20),
      every: millis(5),
    });
    expect(await client.stack('hung')).toBeUndefined();
    expect((await post('hung')).status).toBe(201);
  });

  it('hangs a request for a while and then serves it', async () => {
    emulator.faults.add({ kind: 'hang', path: '/stacks$', forMs: 40, times: 1 });
    const started = performance.now();
    expect((await post('late')).status).toBe(201);
    expect(performance.now() - started).toBeGreaterThanOrEqual(39);
  });

  it('ends all tokens at once; a new one works', async () => {
    emulator.faults.add({ kind: 'expire-tokens' });
    expect((await client.heat('GET', '/stacks')).status).toBe(401);
    const again = await TestClient.login(emulator);
    expect((await again.heat('GET', '/stacks')).status).toBe(200);
  });

  it('has no room left: the quota of the service is used up', async () => {
    emulator.faults.add({ kind: 'quota-exceeded', service: 'neutron', times: 1 });
    const failed = await client.create('quota', one);
    expect(failed.stack_status_reason).toMatch(
      /^Resource CREATE failed: OverQuotaClient: resources\.port: Quota exceeded for resources: \['port'\]\./,
    );
    emulator.faults.add({ kind: 'quota-exceeded', service: 'nova', times: 1 });
    const requested = groupStack({ desired: 1 });
    expect((await client.create('instances', requested.template, requested)).stack_status_reason).toContain('Forbidden: ');
  });

  it('is armed over HTTP with the lab token only, and says what struck how often', async () => {
    const url = emulator.url.replace('/identity/v3', '/_faults');
    const fault = { kind: 'fail-resource', resource: 'port', reason: 'no', times: 'always' };
    expect((await send('POST', url, fault, { 'X-Auth-Token': client.token })).status).toBe(401);
    const lab = { 'X-Lab-Token': emulator.labToken };
    const armed = await send('POST', url, fault, lab);
    expect(armed.status).toBe(201);
    await client.create('armed', one);
    expect((await send('GET', url, undefined, lab)).body).toMatchObject({ faults: [{ struck: 1, fault }] });
    expect((await send('POST', url, { kind: 'nonsense' }, lab)).status).toBe(400);
    expect((await send('POST', url, { kind: 'hang', path: '(', times: 1 }, lab)).status).toBe(400);
    expect((await send('DELETE', `${url}/${text(at(armed.body, 'id'))}`, undefined, lab)).status).toBe(204);
    expect((await send('GET', url, undefined, lab)).body).toEqual({ faults: [] });
    const inventory = await send('GET', url.replace('_faults', '_inventory'), undefined, lab);
    expect(inventory.body).toEqual(JSON.parse(JSON.stringify(emulator.inventory())));
  });

  it('keeps a count of what was asked', async () => {
    const stack = await client.create('counted', one);
    await client.remove(stack);
    expect(emulator.count('DELETE', new RegExp(`${pathOf(stack)}$`))).toBe(1);
    expect(emulator.requests.find((request) => request.method === 'POST' && request.path.endsWith('/stacks'))).toMatchObject({
      service: 'heat',
      status: 201,
    });
  });
});
