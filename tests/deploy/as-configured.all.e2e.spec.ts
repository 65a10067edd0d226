import { testCertificates, testFolder } from '@windlass/embedded/testing';
import { testServer, type TestServer } from '@windlass/outbound/testing';
import { ApiClient, Deployment, onboard } from '@windlass/windlass';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home } from '../support/deployed.js';
import { openStackVim } from '../support/openstack-vim.js';
import { sampleRequest } from '../support/system.js';

const MIB = 1024 ** 2;

const folder = testFolder();
let inside: TestServer;
let deployment: Deployment;
let api: ApiClient;

beforeAll(async () => {
  inside = await testServer((_request, response) => void response.writeHead(404).end('what only this machine may read'));
  mkdirSync(join(folder.path, 'secrets'), { mode: 0o700 });
  const signers = join(folder.path, 'signers');
  testCertificates(signers, 'somebody');
  deployment = await Deployment.start({
    home,
    dataDir: folder.path,
    port: 0,
    durable: false,
    environment: (service) =>
      service === 'lcm-api'
        ? {
            LCM_PACKAGE_SIGNERS: signers,
            LCM_PACKAGE_SIGNATURES: 'optional',
            LCM_PACKAGES_PER_PROJECT: '2',
            LCM_PACKAGE_BYTES_PER_PROJECT: String(MIB),
            LCM_VNF_INSTANCES_PER_PROJECT: '1',
          }
        : {},
    say: () => undefined,
  });
  api = new ApiClient(deployment.url, deployment.secrets.token);
});
afterAll(async () => {
  await deployment.stop();
  await inside.close();
  folder.remove();
});

/** The services as processes, each told by its environment alone. */
describe('a Windlass that nobody allowed anything', () => {
  it('registers no VIM on its own machine, asks none for anything that a request describes, and keeps a project to its quotas', async () => {
    const tenant = { user: 'u', password: 'sent to nobody', project: 'p' };
    const vim = openStackVim('own', { url: inside.url, tenant });
    await expect(api.post('/v1.0/vims', { vim })).rejects.toThrow('VIM_ALLOW');

    const { vnfdId, windlassWarnings } = await onboard(api, join(home, 'samples/simple-vm'));
    // That signatures are looked for is configured, too.
    expect(JSON.stringify(windlassWarnings)).toContain('nobody has signed it');
    const { id } = await api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
    const accessInfo = { username: 'u', password: 'sent to nobody', project: 'p' };
    const connection = { id: 'c', vimType: 'openstack', interfaceInfo: { endpoint: inside.url }, accessInfo };
    const request = { ...(await sampleRequest('instantiate-simple-vm.json', 'net0')), vimConnectionInfo: [connection] };
    await expect(api.accept(`/vnflcm/v1/vnf_instances/${id}/instantiate`, request)).rejects.toThrow('VIM_ALLOW');
    expect(inside.seen).toEqual([]);

    // One instance and one package there are by now.
    await expect(api.post('/vnflcm/v1/vnf_instances', { vnfdId })).rejects.toThrow('LCM_VNF_INSTANCES_PER_PROJECT');
    const large = join(folder.path, 'large.zip');
    writeFileSync(large, Buffer.alloc(MIB));
    await expect(api.onboard(large)).rejects.toThrow('LCM_PACKAGE_BYTES_PER_PROJECT');
    const full = async () => {
      for (let made = 0; made <= 2; made++) await api.post('/vnfpkgm/v1/vnf_packages', {});
    };
    await expect(full()).rejects.toThrow('LCM_PACKAGES_PER_PROJECT');
  });
});
