import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCsar } from './build-csar.js';
import { openCsar } from '../archive/csar.js';
import { flavourOf } from '../model/model-queries.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { desiredCounts } from '../model/scaling.js';

const SAMPLES = fileURLToPath(new URL('../../../../samples/', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windlass-samples-'));
});
afterAll(() => rm(folder, { recursive: true }));

const build = (sample: string) => buildCsar(join(SAMPLES, sample), join(folder, `${sample}.csar`));
const read = async (sample: string) => {
  const csar = await openCsar((await build(sample)).path);
  try {
    return { csar, ...(await readVnfPackage(csar)) };
  } finally {
    await csar.close();
  }
};

describe('the sample packages', () => {
  test('kubernetes is onboarded without a warning, its three flavours with bindings and templates', async () => {
    const { model, warnings } = await read('kubernetes');
    expect(warnings).toEqual([]);
    expect(model).toMatchObject({ provider: 'Windlass', vnfdId: '8a3f7c52-5d0e-4b1e-9d6a-2f4c7b9e1a30' });
    for (const [id, masters] of [
      ['simple', 1],
      ['complex', 3],
      ['podaffinity', 3],
    ] as const) {
      const flavour = flavourOf(model, id);
      expect(desiredCounts(flavour)).toEqual({ masterNode: masters, workerNode: 2 });
      expect(flavour.baseHot!.groups.map(({ name }) => name)).toEqual(['master_instance', 'worker_instance']);
      expect(flavour.lcmBindings.instantiate_end).toMatchObject({
        implementation: 'mgmt-drivers-kubernetes',
        artifact: { present: true },
      });
      expect(flavour.vdus.map(({ flavorName }) => flavorName)).toEqual(['m1.medium', 'm1.medium']);
    }
    expect(flavourOf(model, 'podaffinity').affinityRules).toHaveLength(2);
    expect(model.softwareImages.map(({ name, size, imagePath }) => [name, size, imagePath])).toEqual(
      Array(2).fill(['ubuntu-22.04-server-cloudimg-amd64', 65_536, 'Files/images/ubuntu-22.04-server-cloudimg-amd64.img']),
    );
    expect(model.additionalArtifacts.map(({ artifactPath }) => artifactPath)).toEqual([
      'Scripts/install_k8s_cluster.sh',
      'Scripts/kubernetes_mgmt.py',
      'UserData/k8s_cluster_user_data.py',
    ]);
  });

  test('kubernetes-storage is onboarded without a warning: a cluster, a storage server with a volume, and manifests', async () => {
    const { model, warnings } = await read('kubernetes-storage');
    expect(warnings).toEqual([]);
    const flavour = flavourOf(model, 'simple');
    expect(desiredCounts(flavour)).toEqual({ masterNode: 1, workerNode: 1, storage_server: 1 });
    expect(flavour.vdus.find(({ id }) => id === 'storage_server')).toMatchObject({ storageIds: ['storage_server_volume'] });
    expect(flavour.baseHot!.groups.map(({ name }) => name)).toEqual(['master_instance', 'worker_instance']);
    expect(model.additionalArtifacts.map(({ artifactPath }) => artifactPath)).toEqual(
      expect.arrayContaining([1, 2, 3].map((n) => `Files/kubernetes/nfs-pv${n}.yaml`)),
    );
  });

  test('simple-vm is onboarded without a warning: one VDU, one port, no driver', async () => {
    const { model, warnings } = await read('simple-vm');
    expect(warnings).toEqual([]);
    expect(model.flavours).toMatchObject([
      { id: 'default', lcmBindings: {}, vdus: [{ id: 'VDU1' }], cps: [{ id: 'VDU1_CP1', external: true }] },
    ]);
    expect(desiredCounts(model.flavours[0]!)).toEqual({ VDU1: 1 });
  });

  test('private-registry is onboarded without a warning, its template made from the VNFD: one VM with a volume, and the driver’s two hooks', async () => {
    const { model, warnings } = await read('private-registry');
    expect(warnings).toEqual([]);
    const bound = { implementation: 'mgmt-drivers-private-registry', artifact: { present: true } };
    expect(model.flavours).toMatchObject([
      {
        id: 'simple',
        lcmBindings: { instantiate_end: bound, heal_end: bound },
        vdus: [{ id: 'PrivateRegistryVDU' }],
        cps: [{ id: 'CP1', external: true }],
      },
    ]);
    expect(Object.keys(model.flavours[0]!.lcmBindings)).toHaveLength(2);
    expect(desiredCounts(model.flavours[0]!)).toEqual({ PrivateRegistryVDU: 1 });
  });

  test.each(['kubernetes', 'simple-vm', 'private-registry'])(
    '%s is a package as it lies: any zip of the folder is taken',
    async (sample) => {
      const path = join(folder, `${sample}-as-it-lies.csar`);
      await buildCsar(join(SAMPLES, sample), path, { asItLies: true });
      const csar = await openCsar(path);
      expect((await readVnfPackage(csar)).warnings).toEqual([]);
      await csar.close();
      expect((await build(sample)).renewed).toEqual([]);
    },
  );

  test('the install script asks for the built-in actions in its first comment', async () => {
    const script = await readFile(join(SAMPLES, 'kubernetes/Scripts/install_k8s_cluster.sh'), 'utf8');
    expect(script.split('\n').slice(0, 2)).toEqual(['#!/bin/bash', '# windlass: builtin']);
  });

  test('every request names a flavour and all connection points of it that lead outside, and no user data script', async () => {
    const names = (await readdir(join(SAMPLES, 'requests'))).filter((name) => name.startsWith('instantiate-'));
    expect(names.length).toBeGreaterThan(4);
    const samples = await readdir(SAMPLES);
    for (const name of names) {
      const text = await readFile(join(SAMPLES, 'requests', name), 'utf8');
      expect(text).not.toContain('lcm-operation-user-data');
      const body = JSON.parse(text) as {
        flavourId: string;
        extVirtualLinks?: { resourceId: string; extCps: { cpdId: string }[] }[];
      };
      const { extVirtualLinks = [] } = body;
      const [sample] = samples.filter((each) => name.startsWith(`instantiate-${each}`)).sort((a, b) => b.length - a.length);
      const { model } = await read(sample!);
      const asked = extVirtualLinks.flatMap(({ extCps }) => extCps.map(({ cpdId }) => cpdId)).sort();
      expect(asked).toEqual(
        flavourOf(model, body.flavourId)
          .cps.filter(({ external }) => external)
          .map(({ id }) => id)
          .sort(),
      );
      for (const { resourceId } of extVirtualLinks) expect(resourceId).toBe('${NETWORK_ID}');
    }
  });
});

describe('building a package', () => {
  test('makes the same bytes again, whenever and from wherever it is built', async () => {
    const first = await build('kubernetes');
    const copy = join(folder, 'copy');
    await cp(join(SAMPLES, 'kubernetes'), copy, { recursive: true });
    await utimes(join(copy, 'TOSCA-Metadata/TOSCA.meta'), 1, 1);
    await writeFile(join(copy, 'README.md'), 'not packed');
    await writeFile(join(copy, 'Scripts/.hidden'), 'not packed');
    const second = await buildCsar(copy, join(folder, 'second.csar'));
    expect(second.sha256).toBe(first.sha256);
    expect(second.members).toEqual(first.members);
    const bytes = await readFile(second.path);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(first.sha256);
    expect(bytes.readUInt32LE(10), 'time and date of the first member').toBe(0x0021_0000); // 1980-01-01 00:00
    expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/\.part$/));
  });

  test('keeps the mode of scripts', async () => {
    const { csar } = await read('kubernetes');
    expect(csar.member('Scripts/install_k8s_cluster.sh').mode).toBe(0o755);
    expect(csar.member('Scripts/kubernetes_mgmt.py').mode).toBe(0o644);
  });

  test('fails for a folder that is not there, and leaves nothing behind', async () => {
    await expect(buildCsar(join(folder, 'absent'), join(folder, 'absent.csar'))).rejects.toMatchObject({
      code: 'package.build-failed',
    });
    expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/^absent/));
  });
});
