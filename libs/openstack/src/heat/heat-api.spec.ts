import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from '../openstack.js';
import { FakeVim } from '../testing/fake-vim.js';
import { recorded } from '../testing/recorded.js';
import { jsonParameter } from './heat-types.js';

const ref = { name: 'vnf-a', id: 'b08324e7-eb34-43b1-b128-1e6eebd8e15f' };
const STACKS = '/heat/v1/p/stacks';
const STACK = `${STACKS}/${ref.name}/${ref.id}`;

describe('Heat, answering as the recorded one did,', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.open(vim.connection());
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });
  const bodyOf = (index: number) => JSON.parse(vim.serviceRequests[index]!.body) as unknown;

  it('creates a stack from template, files, parameters and tags, and never rolls back by itself', async () => {
    vim.replay(recorded('01_post_stack'));
    await expect(
      openStack.heat.createStack({
        name: 'vnf-a',
        template: 'heat_template_version: 2013-05-23',
        files: { 'VDU1.yaml': '...' },
        parameters: { nfv: { VDU: {} } },
        timeoutMinutes: 20,
        tags: ['windlass', 'op-1'],
      }),
    ).resolves.toEqual(ref);
    expect(bodyOf(0)).toEqual({
      stack_name: 'vnf-a',
      template: 'heat_template_version: 2013-05-23',
      files: { 'VDU1.yaml': '...' },
      parameters: { nfv: { VDU: {} } },
      timeout_mins: 20,
      tags: 'windlass,op-1',
      disable_rollback: true,
    });
  });

  it('refuses tags that Heat would cut in two, before sending anything', async () => {
    const bad = openStack.heat.createStack({ name: 'a', template: {}, tags: ['a,b'] });
    await expect(bad).rejects.toMatchObject({ code: 'heat.bad-tag' });
    expect(vim.serviceRequests).toEqual([]);
  });

  it('finds a stack by its name through the redirect, and reads parameters and outputs', async () => {
    vim.replay(recorded('02a_get_stack_by_name_302')).replay(recorded('02_get_stack_created'));
    const stack = await openStack.heat.findStack('vnf-a');
    expect(stack).toMatchObject({
      ...ref,
      status: 'CREATE_COMPLETE',
      updatedAt: undefined,
      deletedAt: undefined,
      timeoutMinutes: 10,
    });
    expect(jsonParameter(stack!, 'nfv')).toEqual({ VDU: { VDU1: { desired_capacity: 2, flavor: 'm1.tiny', image: 'cirros' } } });
    expect(jsonParameter(stack!, 'OS::stack_name')).toBeUndefined();
    expect(stack!.outputs.find((output) => output.key === 'vdu1_ips')?.value).toEqual(['10.10.0.134', '10.10.0.205']);
  });

  it('is not followed anywhere else: a redirect to another host gets neither request nor token', async () => {
    const other = await FakeVim.start();
    vim.on('GET', `${STACKS}/vnf-a`, { status: 302, headers: { Location: `${other.url}/heat/v1/p/stacks/vnf-a/${ref.id}` } });
    vim.replay(recorded('02_get_stack_created'));
    await expect(openStack.heat.findStack('vnf-a')).resolves.toMatchObject(ref);
    expect(other.requests).toEqual([]);
    vim.on('GET', `${STACKS}/vnf-a`, { status: 302, headers: { Location: `${other.url}/login` } });
    await expect(openStack.heat.findStack('vnf-a')).rejects.toMatchObject({ code: 'openstack.unexpected-answer' });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('has no stack of that name: undefined', async () => {
    vim.on('GET', `${STACKS}/none`, {
      status: 404,
      json: { code: 404, error: { type: 'EntityNotFound', message: 'not found' } },
    });
    await expect(openStack.heat.findStack('none')).resolves.toBeUndefined();
  });

  it('lists the resources of all nested stacks with the stack each is in and each is', async () => {
    vim.replay(recorded('03_resources_nested_depth_2'), `/heat/stacks/${ref.name}/${ref.id}/resources`);
    const resources = await openStack.heat.listResources(ref);
    expect(resources).toHaveLength(18);
    expect(resources.find(({ name, type }) => name === 'VDU1' && type === 'OS::Heat::AutoScalingGroup')).toMatchObject({
      stack: ref,
      nested: { name: 'vnf-a-VDU1-k33j44qkof7y', id: 'cdf3898e-25d6-47e9-9fda-f109b7002ad9' },
      requiredBy: ['VDU1_scale_in', 'VDU1_scale_out'],
    });
    expect(resources.find(({ physicalId }) => physicalId === '4c5606c8-fa0b-4129-896e-35a72482be9f')).toMatchObject({
      name: 'VDU1',
      type: 'OS::Nova::Server',
      parentResource: '2fyfetx44xgq',
      stack: { name: 'vnf-a-VDU1-k33j44qkof7y-2fyfetx44xgq-l47y7foia7y5', id: 'b370d806-342a-42ad-ae1b-8199825f7061' },
      nested: undefined,
    });
    expect(vim.serviceRequests[0]!.path).toBe(`${STACK}/resources?nested_depth=4`);
  });

  it('shows one resource with its attributes', async () => {
    vim.replay(recorded('04_resource_detail_2fyfetx44xgq_VDU1'));
    const stack = { name: 'vnf-a-VDU1-k33j44qkof7y-2fyfetx44xgq-l47y7foia7y5', id: 'b370d806-342a-42ad-ae1b-8199825f7061' };
    const server = await openStack.heat.getResource(stack, 'VDU1');
    expect(server?.attributes).toMatchObject({ status: 'ACTIVE', server_groups: ['c6680085-0abd-4733-aefa-6425cffa08d7'] });
  });

  it('updates with an HTML page for an answer, keeping what is not given', async () => {
    vim.replay(recorded('05_patch_update_desired3'));
    await expect(openStack.heat.updateStack(ref, { parameters: { nfv: { VDU: {} } } })).resolves.toBeUndefined();
    expect(bodyOf(0)).toEqual({ parameters: { nfv: { VDU: {} } }, existing: true, disable_rollback: true });
  });

  it('replaces with PUT', async () => {
    vim.on('PUT', STACK, { status: 202 });
    await openStack.heat.replaceStack(ref, { template: { heat_template_version: '2013-05-23' } });
    expect(bodyOf(0)).toEqual({ template: { heat_template_version: '2013-05-23' }, disable_rollback: true });
  });

  it('marks a resource unhealthy, answering null', async () => {
    vim.replay(recorded('07_mark_unhealthy_server'));
    const stack = { name: 'vnf-a-VDU1-k33j44qkof7y-2fyfetx44xgq-l47y7foia7y5', id: 'b370d806-342a-42ad-ae1b-8199825f7061' };
    await openStack.heat.markUnhealthy(stack, 'VDU1', 'heal');
    expect(bodyOf(0)).toEqual({ mark_unhealthy: true, resource_status_reason: 'heal' });
  });

  it('deletes, and says whether there was something to delete', async () => {
    vim.replay(recorded('13_delete'));
    await expect(openStack.heat.deleteStack(ref)).resolves.toBe(true);
    await expect(openStack.heat.deleteStack({ name: 'gone', id: '1' })).resolves.toBe(false);
  });

  it('goes on showing a deleted stack by its id', async () => {
    vim.replay(recorded('14_get_by_name_and_id_after_delete'));
    await expect(openStack.heat.getStack(ref)).resolves.toMatchObject({ status: 'DELETE_COMPLETE' });
  });

  it('has no such stack for a call that needs one: heat.stack-not-found', async () => {
    await expect(openStack.heat.updateStack({ name: 'gone', id: '1' }, {})).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'heat.stack-not-found',
      message: 'Heat has no stack gone/1 (any more)',
    });
    await expect(openStack.heat.markUnhealthy(ref, 'VDU9', 'heal')).rejects.toThrow(`no resource VDU9 of stack vnf-a/${ref.id}`);
  });

  it('tells what happened, newest first', async () => {
    vim.replay(recorded('12_events'), `/heat/stacks/${ref.name}/${ref.id}/events`);
    const events = await openStack.heat.events(ref, { limit: 20 });
    expect(events).toHaveLength(20);
    expect(events[0]).toMatchObject({ resourceName: 'vnf-a', status: 'UPDATE_COMPLETE', time: '2026-11-20T23:50:21Z' });
    expect(vim.serviceRequests[0]!.path).toBe(`${STACK}/events?sort_dir=desc&limit=20`);
  });

  it('gives template and files', async () => {
    vim.on('GET', `${STACK}/template`, { status: 200, json: { heat_template_version: '2013-05-23' } });
    vim.on('GET', `${STACK}/files`, { status: 200, json: { 'VDU1.yaml': 'heat_template_version: 2013-05-23' } });
    await expect(openStack.heat.template(ref)).resolves.toEqual({ heat_template_version: '2013-05-23' });
    await expect(openStack.heat.files(ref)).resolves.toEqual({ 'VDU1.yaml': 'heat_template_version: 2013-05-23' });
  });

  it('lists stacks by tag, page by page', async () => {
    const summary = (id: number) => ({
      id: `id-${id}`,
      stack_name: `s-${id}`,
      stack_status: 'CREATE_COMPLETE',
      creation_time: 't',
      tags: ['windlass'],
    });
    vim.on('GET', STACKS, (request) => {
      const marker = new URLSearchParams(request.path.split('?')[1]).get('marker');
      const from = marker === null ? 0 : Number(marker.slice(3)) + 1;
      return {
        status: 200,
        json: { stacks: Array.from({ length: Math.min(200, 450 - from) }, (_, index) => summary(from + index)) },
      };
    });
    const stacks = await openStack.heat.listStacks({ tags: ['windlass', 'dev'] });
    expect(stacks).toHaveLength(450);
    expect(new Set(stacks.map(({ id }) => id)).size).toBe(450);
    expect(vim.serviceRequests.map(({ path }) => path)).toEqual([
      `${STACKS}?tags=windlass%2Cdev&limit=200`,
      `${STACKS}?tags=windlass%2Cdev&limit=200&marker=id-199`,
      `${STACKS}?tags=windlass%2Cdev&limit=200&marker=id-399`,
    ]);
  });

  it('gets names with slashes, spaces and dots as one segment of the path', async () => {
    await openStack.heat.findStack('a/../b c?d');
    expect(vim.serviceRequests[0]!.path).toBe(`${STACKS}/a%2F..%2Fb%20c%3Fd`);
    await expect(openStack.heat.findStack('..')).rejects.toMatchObject({ name: 'InvariantError' });
  });
});
