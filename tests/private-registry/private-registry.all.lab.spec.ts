import { randomBytes } from 'node:crypto';
import { seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RegistryClient } from './support/registry-client.js';
import { registryArchive } from './support/registry-image.js';
import { IMAGE_PATH, registryLab } from './support/registry-lab.js';

const LAYER = randomBytes(3 * 1024 * 1024);

const paramsOf = (more: object) => ({
  private_registry_installation_param: { ssh_cp_name: 'CP1', ssh_username: 'ubuntu', ssh_password: 'ubuntu', ...more },
});

let lab: Awaited<ReturnType<typeof registryLab>>;
beforeAll(async () => {
  lab = await registryLab();
});
afterAll(() => lab.end());

describe('a VM of the lab', () => {
  it('becomes a registry by the image of the package: what is pushed is pulled, also after the VM has restarted', async () => {
    const vm = await lab.boot();
    const archive = await registryArchive(lab.fleet.repositoryUrl);
    expect(await lab.run(vm, paramsOf({ image_path: IMAGE_PATH, port_no: '5001' }), archive)).toEqual([]);
    const client = new RegistryClient(lab.url(5001));
    const digest = await client.push('team/app', 'v1', LAYER);
    expect(await client.pull('team/app', 'v1')).toEqual({ digest, layer: LAYER });
    await lab.fleet.reboot(vm.resourceId);
    await lab.fleet.ready(vm.resourceId);
    const again = await waitUntil(() => client.pull('team/app', 'v1').catch(() => undefined), {
      for: 'the registry to come back',
      within: seconds(60),
      every: seconds(0.5),
    });
    expect(again).toEqual({ digest, layer: LAYER });
  });

  it('runs the image that a digest names, and none where nobody has that', async () => {
    const vm = await lab.boot();
    await lab.run(vm, paramsOf({ registry_image: 'registry:2.8.3' }), undefined);
    const named = await lab.said(vm, `docker image inspect --format '{{ index .RepoDigests 0 }}' registry:2.8.3`);
    expect(named).toMatch(/^registry@sha256:[0-9a-f]{64}$/);
    const pinned = named.replace('@', ':2.8.3@');
    await lab.said(vm, 'docker rm --force private_registry && docker rmi registry:2.8.3');
    const image = () => lab.said(vm, `docker inspect --format '{{ .Id }} {{ .Config.Image }}' private_registry`);
    await lab.run(vm, paramsOf({ registry_image: pinned }), undefined);
    const first = await image();
    expect(first).toMatch(new RegExp(` ${pinned}$`));
    await lab.run(vm, paramsOf({ registry_image: pinned }), undefined);
    expect(await image(), 'the same container: every step was done').toBe(first);
    await expect(lab.run(vm, paramsOf({}), undefined)).rejects.toThrow(/the image registry:2\.8\.3@sha256:a3d8\w+ can't be had/);
  });

  it('in which no container runs becomes one by the program itself, and the operation says why', async () => {
    const vm = await lab.boot();
    await lab.refuseContainers(vm);
    const notes = await lab.run(vm, paramsOf({}), undefined);
    expect(notes).toEqual([expect.stringMatching(/^no container runs on vm-registry: .+docker-registry serves in its place/)]);
    const client = new RegistryClient(lab.url(5000));
    const digest = await client.push('team/app', 'v1', LAYER);
    expect(await client.pull('team/app', 'v1')).toEqual({ digest, layer: LAYER });
  });
});
