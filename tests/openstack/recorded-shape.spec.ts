import { readFileSync } from 'node:fs';
import { Secret, millis, seconds, type Json, type JsonObject } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import { OpenStack, waitForDeletion, waitForStack, type StackRef } from '@windlass/openstack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shapeDifferences } from './testing/shape.js';

interface Recorded {
  request: { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; url: string; json: JsonObject };
  status: number;
  headers: Record<string, string>;
  body: Json;
}

const folder = new URL('../../libs/openstack/src/testing/recorded/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const recorded = (name: string) => read(name) as Recorded;

const quick = { within: seconds(30), poll: { first: millis(10), most: millis(100) } };

/** The requests that were recorded at a real OpenStack, sent to the emulator: member for member the same answers. */
describe('the emulator answers in the recorded shape', () => {
  let emulator: OpenStackEmulator;
  let openStack: OpenStack;
  let ref: StackRef;
  const heat = async (method: Recorded['request']['method'], path: string, status: number, json?: Json) => {
    const answer = await openStack.session.request('orchestration', {
      method,
      path,
      expect: [status],
      headers: { Accept: '*/*' },
      ...(json === undefined ? {} : { json }),
    });
    return { headers: answer.headers, text: answer.text, body: answer.text.startsWith('{') ? answer.body().value : answer.text };
  };
  const at = (ofStack: StackRef = ref) => `/stacks/${ofStack.name}/${ofStack.id}`;
  const member = async () => {
    const resources = await openStack.heat.listResources(ref);
    const server = resources.find(({ type, parentResource }) => type === 'OS::Nova::Server' && parentResource !== undefined);
    if (server === undefined) throw new Error('the group has no server');
    return server;
  };

  beforeAll(async () => {
    emulator = await OpenStackEmulator.start();
    const { tenant } = emulator;
    const credentials = {
      kind: 'password' as const,
      username: tenant.user,
      password: new Secret(tenant.password),
      project: tenant.project,
    };
    openStack = OpenStack.open({ authUrl: emulator.url, credentials });
    const recording = recorded('01_post_stack');
    const answer = await heat('POST', '/stacks', 201, recording.request.json);
    expect(shapeDifferences(recording.body, answer.body)).toEqual([]);
    const { id } = (answer.body as { stack: { id: string } }).stack;
    ref = { name: recording.request.json.stack_name as string, id };
    await waitForStack(openStack.heat, ref, 'CREATE', quick);
  });
  afterAll(async () => {
    openStack.close();
    await emulator.stop();
  });

  it('to a token request', async () => {
    const token = read('keystone_token_body') as JsonObject;
    const id = (await openStack.session.token()).id.reveal();
    const headers = { 'X-Subject-Token': id };
    const answer = await openStack.session.request('identity', { method: 'GET', path: '/auth/tokens', headers, expect: [200] });
    expect(shapeDifferences(token, answer.body().value.token)).toEqual([]);
  });

  it('to the stack that was made', async () => {
    const answer = await heat('GET', at(), 200);
    const byKey = (body: Json) => {
      const { stack } = body as { stack: JsonObject };
      const outputs = stack.outputs as JsonObject[];
      return { ...stack, outputs: Object.fromEntries(outputs.map((output) => [output.output_key as string, output])) };
    };
    const [was, is] = [byKey(recorded('02_get_stack_created').body), byKey(answer.body)];
    expect(shapeDifferences(was, is)).toEqual([]);
  });

  it('to the resources of all its stacks', async () => {
    const { body } = recorded('03_resources_nested_depth_2');
    const answer = await heat('GET', `${at()}/resources?nested_depth=2`, 200);
    const byPlace = (rows: Json) =>
      (rows as { resources: JsonObject[] }).resources.map(
        (row) =>
          [
            row.resource_type as string,
            (row.resource_name as string).replace(/^[a-z0-9]{12}$/, 'MEMBER'),
            'parent_resource' in row,
            row,
          ] as const,
      );
    const seen = byPlace(answer.body);
    expect(seen.map(([type, name]) => `${type} ${name}`).sort()).toEqual(
      byPlace(body)
        .map(([type, name]) => `${type} ${name}`)
        .sort(),
    );
    for (const [type, name, nested, row] of byPlace(body)) {
      const same = seen.find((other) => other[0] === type && other[1] === name && other[2] === nested);
      expect(shapeDifferences(row, same?.[3])).toEqual([]);
      expect(same?.[3]).toMatchObject({
        resource_status: row.resource_status,
        resource_status_reason: row.resource_status_reason,
      });
      expect([...(same?.[3].required_by as string[])].sort()).toEqual([...(row.required_by as string[])].sort());
      const rels = (of: Json | undefined) => (of as { rel: string }[]).map(({ rel }) => rel);
      expect(rels(same?.[3].links)).toEqual(rels(row.links));
    }
  });

  it('to a nested server, with all its attributes, and to Nova itself', async () => {
    const server = await member();
    const ofHeat = await heat('GET', `${at(server.stack)}/resources/${server.name}`, 200);
    expect(
      shapeDifferences(noAddresses(recorded('04_resource_detail_2fyfetx44xgq_VDU1').body), noAddresses(ofHeat.body)),
    ).toEqual([]);
    const path = `/servers/${server.physicalId ?? ''}`;
    const ofNova = await openStack.session.request('compute', { method: 'GET', path, expect: [200] });
    expect(shapeDifferences(noAddresses(recorded('04_nova_user_14b0dd18').body), noAddresses(ofNova.body().value))).toEqual([]);
  });

  it('to a mark and an update', async () => {
    const server = await member();
    const mark = recorded('07_mark_unhealthy_server');
    const marked = await heat('PATCH', `${at(server.stack)}/resources/${server.name}`, mark.status, mark.request.json);
    expect(marked.text).toBe('null');
    const update = recorded('05_patch_update_desired3');
    const updated = await heat('PATCH', at(), update.status, update.request.json);
    expect(updated.text).toBe(update.body);
    expect(updated.headers['content-type']).toBe(update.headers['Content-Type']);
    await waitForStack(openStack.heat, ref, 'UPDATE', quick);
  });

  it('to a name, with a redirect', async () => {
    const recording = recorded('02a_get_stack_by_name_302');
    const answer = await heat('GET', `/stacks/${ref.name}`, 302);
    const anonymous = (text: string, location: string | undefined) => text.replaceAll(location ?? '', 'LOCATION');
    expect(anonymous(answer.text, answer.headers.location)).toBe(anonymous(recording.body as string, recording.headers.Location));
    expect(answer.headers['content-type']).toBe(recording.headers['Content-Type']);
  });

  it('to events', async () => {
    const answer = await heat('GET', `${at()}/events?limit=20&sort_dir=desc`, 200);
    expect(shapeDifferences(recorded('12_events').body, answer.body)).toEqual([]);
  });

  it('to a deletion, and to the deleted stack', async () => {
    const { body, status } = recorded('13_delete');
    const answer = await heat('DELETE', at(), status);
    expect(answer.text).toBe(body);
    await waitForDeletion(openStack.heat, ref, quick);
    const gone = await heat('GET', at(), 200);
    expect(shapeDifferences(recorded('14_get_by_name_and_id_after_delete').body, gone.body)).toEqual([]);
  });
});

/** Networks' names are members of `addresses`, so these differ with the network. */
function noAddresses(body: Json): Json {
  return JSON.parse(JSON.stringify(body), (name, value: Json) => (name === 'addresses' ? {} : value)) as Json;
}
