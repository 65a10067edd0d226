import { describe, expect, test } from 'vitest';
import { boundDrivers, flavourOf } from '../model/model-queries.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { desiredCounts, scaleStatusOf } from '../model/scaling.js';
import { csarOf } from '../testing/package-factory.js';
import { kubernetesSkeleton } from '../testing/kubernetes-skeleton.js';
import { VNFD_ID } from '../testing/package-factory.js';

const read = async (files = kubernetesSkeleton()) => readVnfPackage(await csarOf(files));

describe("the reference system's Kubernetes package", () => {
  test('is onboarded unchanged: Python inside, image bytes missing, ETSI types not carried', async () => {
    const { model, warnings } = await read();
    expect(model).toMatchObject({
      formatVersion: 1,
      vnfdId: VNFD_ID,
      provider: 'Company',
      productName: 'Sample VNF',
      softwareVersion: '1.0',
      descriptorVersion: '1.0',
      vnfmInfo: ['Tacker'],
    });
    expect(model.flavours.map(({ id, description }) => [id, description])).toEqual([
      ['simple', 'A simple flavour'],
      ['complex', 'A complex flavour'],
      ['podaffinity', 'A podaffinity flavour'],
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(['image.absent', 'image.absent']);
    expect(model.vnfdFiles).toEqual([
      'Definitions/sample_kubernetes_top.vnfd.yaml',
      'Definitions/sample_kubernetes_types.yaml',
      'Definitions/sample_kubernetes_df_simple.yaml',
      'Definitions/sample_kubernetes_df_complex.yaml',
      'Definitions/sample_kubernetes_df_podaffinity.yaml',
    ]);
    expect(model.additionalArtifacts.map(({ artifactPath }) => artifactPath)).toEqual([
      'Scripts/install_k8s_cluster.sh',
      'Scripts/kubernetes_mgmt.py',
    ]);
  });

  test('has the VDUs, connection points and bindings of its VNFD', async () => {
    const simple = flavourOf((await read()).model, 'simple');
    expect(simple.vdus[0]).toEqual({
      id: 'masterNode',
      name: 'masterNode',
      description: 'masterNode compute node',
      flavorName: 'm1.medium',
      virtualCpus: 2,
      memoryBytes: 4e9,
      diskBytes: 45e9,
      initialInstances: 1,
      minInstances: 1,
      maxInstances: 3,
      storageIds: [],
      image: {
        name: 'Image for masterNode kubernetes',
        version: '20.04',
        checksum: { algorithm: 'sha-512', hash: expect.stringMatching(/^fb1a1e50/) as string },
        containerFormat: 'bare',
        diskFormat: 'qcow2',
        minDisk: 0,
        minRam: 0,
        size: 2e9,
        file: { kind: 'member', path: 'Files/images/ubuntu-20.04-server-cloudimg-amd64.img', present: false },
      },
    });
    expect(simple.cps).toEqual([
      { id: 'masterNode_CP1', vduId: 'masterNode', external: true, order: 0, layerProtocols: ['ipv4'] },
      { id: 'workerNode_CP2', vduId: 'workerNode', external: true, order: 0, layerProtocols: ['ipv4'] },
    ]);
    expect(Object.keys(simple.lcmBindings).sort()).toEqual([
      'heal_end',
      'heal_start',
      'instantiate_end',
      'scale_end',
      'scale_start',
      'terminate_end',
    ]);
    expect(simple.lcmBindings.instantiate_end).toEqual({
      implementation: 'mgmt-drivers-kubernetes',
      artifact: { type: 'tosca.artifacts.Implementation.Python', file: 'Scripts/kubernetes_mgmt.py', present: true },
    });
  });

  test('binds one driver, whose name the caller compares with what is registered', async () => {
    expect(boundDrivers((await read()).model)).toEqual(['mgmt-drivers-kubernetes']);
  });

  test('lists its software images as VnfPkgInfo does, each once', async () => {
    const { softwareImages } = (await read()).model;
    expect(softwareImages).toHaveLength(2);
    expect(softwareImages[0]).toMatchObject({
      id: 'masterNode',
      provider: 'Company',
      containerFormat: 'BARE',
      diskFormat: 'QCOW2',
      size: 2e9,
      imagePath: '',
    });
  });

  test('has groups, servers and references of its templates', async () => {
    const hot = flavourOf((await read()).model, 'podaffinity').baseHot!;
    expect(hot.top.path).toBe('BaseHOT/podaffinity/podaffinity_hot_top.yaml');
    expect(Object.keys(hot.files)).toEqual(['podaffinity_nested_master.yaml', 'podaffinity_nested_worker.yaml']);
    expect(hot.groups).toEqual([
      {
        name: 'master_instance',
        memberType: 'podaffinity_nested_master.yaml',
        vduIds: ['masterNode'],
        minSize: 3,
        maxSize: 5,
        desired: { kind: 'literal', size: 3 },
        apart: true,
      },
      {
        name: 'worker_instance',
        memberType: 'podaffinity_nested_worker.yaml',
        vduIds: ['workerNode'],
        minSize: 2,
        maxSize: 4,
        desired: { kind: 'literal', size: 2 },
        apart: true,
      },
    ]);
    expect(hot.servers).toEqual([
      { vduId: 'masterNode', group: 'master_instance' },
      { vduId: 'workerNode', group: 'worker_instance' },
    ]);
    expect(hot.parameters).toEqual([
      { name: 'nfv', type: 'json', hasDefault: false },
      { name: 'k8s_worker_node_group', type: 'string', hasDefault: false },
      { name: 'k8s_master_node_group', type: 'string', hasDefault: false },
    ]);
    expect(hot.nfvReferences.map(({ section, name, attribute }) => `${section}.${name}.${attribute}`)).toEqual([
      'VDU.masterNode.flavor',
      'VDU.masterNode.image',
      'CP.masterNode_CP1.network',
      'VDU.workerNode.flavor',
      'VDU.workerNode.image',
      'CP.workerNode_CP2.network',
    ]);
  });

  test('has the sizes of its levels and aspects', async () => {
    const { model } = await read();
    expect(desiredCounts(flavourOf(model, 'simple'))).toEqual({ masterNode: 1, workerNode: 2 });
    expect(desiredCounts(flavourOf(model, 'complex'), { instantiationLevelId: 'instantiation_level_2' })).toEqual({
      masterNode: 5,
      workerNode: 4,
    });
    expect(desiredCounts(flavourOf(model, 'complex'), { scaleStatus: [{ aspectId: 'worker_instance', scaleLevel: 1 }] })).toEqual(
      {
        masterNode: 3,
        workerNode: 3,
      },
    );
    expect(scaleStatusOf(flavourOf(model, 'simple'))).toEqual([
      { aspectId: 'master_instance', scaleLevel: 0, maxScaleLevel: 2 },
      { aspectId: 'worker_instance', scaleLevel: 0, maxScaleLevel: 2 },
    ]);
  });

  test('survives JSON: the model is what is stored', async () => {
    const { model } = await read();
    expect(JSON.parse(JSON.stringify(model))).toEqual(model);
  });

  test('a package of these VNFDs without base HOTs has groups named as its aspects, made from the VNFD', async () => {
    const files = kubernetesSkeleton();
    const withoutHot = Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith('BaseHOT/')));
    const { model, warnings } = await read(withoutHot);
    for (const { baseHot } of model.flavours) {
      expect(baseHot?.groups.map(({ name, vduIds }) => [name, ...vduIds])).toEqual([
        ['master_instance', 'masterNode'],
        ['worker_instance', 'workerNode'],
      ]);
    }
    expect(warnings.map(({ code }) => code)).not.toContain('base-hot.absent');
  });
});
