import { OpenStackEmulator } from '@windlass/lab';
import { Secret } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import axios from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Recorder } from './recorder.js';

const TEMPLATE = 'heat_template_version: 2013-05-23\nresources: {nothing: {type: OS::Heat::None}}\n';

describe('the recorder before an OpenStack', () => {
  let emulator: OpenStackEmulator;
  let recorder: Recorder;
  let openStack: OpenStack;
  beforeAll(async () => {
    emulator = await OpenStackEmulator.start();
    recorder = await Recorder.start(emulator.url);
    const { user, password, project } = emulator.tenant;
    const credentials = { kind: 'password', username: user, password: new Secret(password), project } as const;
    openStack = OpenStack.open({ authUrl: recorder.authUrl, credentials });
  });
  afterAll(async () => {
    openStack.close();
    await recorder.stop();
    await emulator.stop();
  });

  it('is the way of every service, and notes each request with the service, its times and what Heat said of the stack', async () => {
    await openStack.glance.findImages({ tag: 'none' });
    const ref = await openStack.heat.createStack({ name: 'noted', template: TEMPLATE });
    await openStack.heat.getStack(ref);
    const found = await openStack.heat.findStack('noted');
    expect(found?.id).toBe(ref.id);
    await openStack.heat.stacksById([ref.id]);
    expect(recorder.requests.map(({ service, method, status }) => `${service} ${method} ${status}`)).toEqual([
      'identity POST 201',
      'image GET 200',
      'orchestration POST 201',
      'orchestration GET 200',
      'orchestration GET 302',
      'orchestration GET 200',
      'orchestration GET 200',
    ]);
    expect(recorder.requests[2]?.path.endsWith('/stacks')).toBe(true);
    for (const shown of [3, 6]) expect(recorder.requests[shown]?.stackStatus).toMatch(/^CREATE_/);
    expect(recorder.requests.every(({ at, until }) => until >= at)).toBe(true);
    expect(emulator.requests).toHaveLength(recorder.requests.length);
  });

  it('passes nothing on to a place that no catalog named', async () => {
    const own = new URL(recorder.authUrl).origin;
    const there = new URL(emulator.url).host;
    const asked = emulator.requests.length;
    const { status } = await axios.get(`${own}/elsewhere/${there}/v3`, { proxy: false, validateStatus: () => true });
    expect(status).toBe(404);
    expect(emulator.requests).toHaveLength(asked);
  });

  it('is refused for an OpenStack behind TLS', async () => {
    await expect(Recorder.start('https://keystone:5000/v3')).rejects.toMatchObject({ code: 'bench.recorder' });
  });
});
