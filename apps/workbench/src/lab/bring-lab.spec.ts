import { OpenStackEmulator } from '@windlass/lab';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labEnvironment, loopbackFor } from './bring-lab.js';
import { LAB_IMAGES } from './lab.js';

describe('what services are told of a lab', () => {
  let emulator: OpenStackEmulator;
  beforeAll(async () => {
    emulator = await OpenStackEmulator.start();
  });
  afterAll(() => emulator.stop());

  it.each(['vim-registry', 'infra-driver', 'k8s-mgmt'])(
    'lets %s connect to the one port of its OpenStack on this machine',
    (service) => {
      const lab = { keystoneUrl: emulator.url, project: 'p', vnfmPasswordFile: '/nowhere', emulator };
      expect(labEnvironment(lab)(service).VIM_ALLOW).toBe(`127.0.0.1:${emulator.port}`);
    },
  );

  it('goes beside what the operator gives, and takes nothing of it away', () => {
    const lab = { keystoneUrl: emulator.url, project: 'p', vnfmPasswordFile: '/nowhere', emulator };
    const given = { VIM_ALLOW: '10.0.0.7', STACK_ABSENT_FOR: '9s' };
    expect(labEnvironment(lab)('infra-driver', given)).toMatchObject({
      VIM_ALLOW: `10.0.0.7,127.0.0.1:${emulator.port}`,
      STACK_ABSENT_FOR: '9s',
    });
  });

  it('of up allows callbacks and packages on loopback, to the service that connects to them', () => {
    expect(loopbackFor('lcm-api', { OUTBOUND_ALLOW: '169.254.1.1' })).toEqual({
      OUTBOUND_ALLOW: '169.254.1.1,127.0.0.0/8,::1',
      LCM_PACKAGE_HOSTS: 'localhost,127.0.0.1,::1',
    });
    expect(loopbackFor('infra-driver', {})).toEqual({});
  });

  it('has the images that the documentation names', () => {
    const page = readFileSync(new URL('../../../../docs/lab-openstack.md', import.meta.url), 'utf8');
    const [line = ''] = /^- There from the start: .*$/m.exec(page) ?? [];
    const named = [...(/images (.*); compute hosts/.exec(line)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(LAB_IMAGES).toEqual(named.filter((name) => name !== './windlass'));
  });
});
