import { OpenStackEmulator } from '@windlass/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labEnvironment } from './bring-lab.js';

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
});
