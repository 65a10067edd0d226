import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, linkOf, pathOf, TestClient, text } from './testing/client.js';
import { recordings, vnfA } from './testing/recordings.js';
import { differences, normalized } from './testing/shape.js';

describe('a stack goes the way that was recorded of real Heat', () => {
  const recorded = recordings('vnf-a');
  let emulator: OpenStackEmulator;
  let client: TestClient;
  let stack: JsonObject;
  beforeAll(async () => {
    emulator = await OpenStackEmulator.start();
    client = await TestClient.login(emulator);
  });
  afterAll(async () => {
    expect(emulator.brokenness).toEqual([]);
    await emulator.stop();
  });

  it('POST stacks answers 201 with the id, a link, and its Location', async () => {
    const body = {
      stack_name: 'vnf-a',
      template: vnfA.template,
      files: vnfA.files,
      parameters: vnfA.parameters(2),
      timeout_mins: 10,
    };
    const reply = await client.heat('POST', '/stacks', body);
    expect(reply.status).toBe(recorded['01_post_stack']!.status);
    expect(differences(recorded['01_post_stack']!.body, reply.body)).toEqual([]);
    expect(normalized(reply.headers.get('location') ?? '')).toBe(normalized(recorded['01_post_stack']!.headers.location!));
    stack = await client.settled('vnf-a');
    expect(stack).toMatchObject({ stack_status: 'CREATE_COMPLETE', stack_status_reason: 'Stack CREATE completed successfully' });
  });

  it('GET by name answers 302 with the page and the Location of name and id', async () => {
    const reply = await client.heat('GET', '/stacks/vnf-a');
    const was = recorded['02a_get_stack_by_name_302']!;
    expect(reply.status).toBe(302);
    expect(reply.headers.get('content-type')).toBe(was.headers['content-type']);
    expect(reply.headers.get('location')).toContain(pathOf(stack));
    expect(normalized(text(reply.body)).slice(0, 100)).toBe(normalized(text(was.body)).slice(0, 100));
  });

  it('shows parameters, description, options and outputs as recorded', async () => {
    const was = recorded['02_get_stack_created']!.body;
    const reply = await client.heat('GET', pathOf(stack));
    // The order of outputs is a Python dictionary's; the other one is compared by hand below.
    expect(differences(was, reply.body, { ignore: ['.stack.outputs'] })).toEqual([]);
    expect(at(at(reply.body, 'stack'), 'parameters')).toMatchObject({
      nfv: '{"VDU": {"VDU1": {"desired_capacity": 2, "flavor": "m1.tiny", "image": "cirros"}}}',
      'OS::stack_name': 'vnf-a',
    });
    const outputs = at(at(reply.body, 'stack'), 'outputs');
    const vdu2 = Array.isArray(outputs) ? outputs.find((one) => at(one, 'output_key') === 'vdu2') : undefined;
    const wasOutputs = at(at(was, 'stack'), 'outputs');
    expect(differences(Array.isArray(wasOutputs) ? wasOutputs[0]! : null, vdu2 ?? null)).toEqual([]);
  });

  it('lists resources level by level, members with their links and parents', async () => {
    const was = at(recorded['03_resources_nested_depth_2']!.body, 'resources');
    const resources = await client.resources(stack);
    const wasGroup = Array.isArray(was) ? was[0]! : null;
    const group = resources.find((one) => one.resource_type === 'OS::Heat::AutoScalingGroup')!;
    expect(differences(wasGroup, group)).toEqual([]);
    const members = resources.filter((one) => one.resource_type === 'VDU1.yaml');
    const wasMember = Array.isArray(was) ? was.find((one) => at(one, 'resource_type') === 'VDU1.yaml')! : null;
    expect(members).toHaveLength(2);
    expect(differences(wasMember, members[0]!)).toEqual([]);
    expect(text(members[0]!.resource_name)).toMatch(/^[a-z2-7]{12}$/);
    expect(linkOf(members[0]!, 'nested')).toMatch(/vnf-a-VDU1-[a-z2-7]{12}-[a-z2-7]{12}-[a-z2-7]{12}\/[0-9a-f-]{36}$/);
    expect(resources.findLastIndex((one) => one.parent_resource === undefined)).toBeLessThan(
      resources.findIndex((one) => one.parent_resource !== undefined),
    );
    expect(resources.find((one) => one.resource_name === 'intsub')?.required_by).toEqual(
      expect.arrayContaining(['VDU1', 'VDU2']),
    );
  });

  it('shows a nested server with all attributes, its name cut as Heat cuts it', async () => {
    const server = (await client.resources(stack)).find((one) => one.resource_type === 'OS::Nova::Server' && isMember(one))!;
    const reply = await client.send('GET', linkOf(server, 'self'));
    expect(differences(recorded['04_resource_detail_2fyfetx44xgq_VDU1']!.body, reply.body)).toEqual([]);
    const name = text(at(at(at(reply.body, 'resource'), 'attributes'), 'name'));
    expect(name).toHaveLength(53);
    expect(name).toMatch(/^vn-[a-z2-7]{6}-[a-z2-7]{12}-[a-z2-7]{12}-VDU1-[a-z2-7]{12}$/);
  });

  it('PATCH answers 202 with the HTML page, mark unhealthy and signal 200 with null', async () => {
    const update = await client.heat('PATCH', pathOf(stack), { existing: true, parameters: vnfA.parameters(2) });
    const was = recorded['05_patch_update_desired3']!;
    expect([update.status, update.headers.get('content-type'), update.body]).toEqual([
      202,
      was.headers['content-type'],
      was.body,
    ]);
    await client.settled('vnf-a');
    const server = (await client.resources(stack)).find((one) => one.resource_type === 'OS::Nova::Server')!;
    const mark = await client.mark(server);
    expect([mark.status, mark.body]).toEqual([200, recorded['07_mark_unhealthy_server']!.body]);
    const signal = await client.heat('POST', `${pathOf(stack)}/resources/VDU1_scale_in/signal`);
    expect([signal.status, signal.body]).toEqual([200, recorded['11_signal_scale_in']!.body]);
  });

  it('lists events newest first, in the recorded shape', async () => {
    const reply = await client.heat('GET', `${pathOf(stack)}/events?limit=20&sort_dir=desc`);
    expect(differences(recorded['12_events']!.body, reply.body)).toEqual([]);
    const unsorted = await client.heat('GET', `${pathOf(stack)}/events`);
    const events = at(unsorted.body, 'events');
    const first = Array.isArray(events) ? events.at(-1)! : null;
    expect(at(first, 'resource_status')).toBe('CREATE_IN_PROGRESS');
  });

  it('DELETE answers 204; then the name is unknown, while name and id show DELETE_COMPLETE', async () => {
    await client.settled('vnf-a');
    expect((await client.heat('DELETE', pathOf(stack))).status).toBe(recorded['13_delete']!.status);
    await client.gone('vnf-a');
    expect((await client.heat('GET', '/stacks/vnf-a')).status).toBe(404);
    const after = await client.heat('GET', pathOf(stack));
    expect(after.status).toBe(200);
    expect(at(after.body, 'stack')).toMatchObject({
      stack_status: 'DELETE_COMPLETE',
      deletion_time: expect.any(String) as string,
    });
    expect(emulator.inventory().find((one) => one.project === 'vnfm')).toEqual({
      project: 'vnfm',
      stacks: [],
      servers: [],
      serverGroups: [],
      ports: [],
      networks: [],
      subnets: [],
      floatingIps: [],
      securityGroups: [],
      volumes: [],
      images: [],
    });
  });
});

const isMember = (resource: JsonObject): boolean => isJsonObject(resource) && resource.parent_resource !== undefined;
