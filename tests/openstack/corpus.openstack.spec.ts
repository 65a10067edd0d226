import { randomUUID } from 'node:crypto';
import { isJsonObject, minutes, type JsonObject } from '@windlass/foundation';
import { vnfTag } from '@windlass/lifecycle';
import { OpenStack } from '@windlass/openstack';
import { openCsar, bufferCsarSource } from '@windlass/vnf-package';
import { VNFD_ID, zipOf, type PackageFiles } from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIRST_VERSION, scripted } from '../packages/support/scripted-package.js';
import { shape } from '../packages/support/shapes.js';
import { TEMPLATED, templated } from '../packages/support/templated.js';
import type { ShownVnfc } from '../support/shown-vnfc.js';
import { atRest, createVnf, onboardZip, startSystem, type System } from '../support/system.js';
import { realConnection } from './testing/real-connection.js';

/** A package of the corpus, and what is done with it here. */
interface Case {
  title: string;
  files: () => PackageFiles | Promise<PackageFiles>;
  /** How many VMs of each VDU it begins with. */
  begins: Readonly<Record<string, number>>;
  /** The aspect that gets a step more, and its VDU. */
  aspect: string;
  scales: string;
  /** Connection points, all on one network. */
  cps: readonly string[];
  /** The VDU one of whose VMs is healed. */
  heals: string;
  additionalParams?: JsonObject;
}

const ofCorpus = (name: string): Case => {
  const { begins, aspect = '', scales = '', additionalParams } = TEMPLATED[name]!;
  const [counts = {}] = Object.values(begins);
  const more = additionalParams === undefined ? {} : { additionalParams };
  const cps = Object.keys(counts).map((vdu) => `${vdu}_CP`);
  return { title: name, files: () => templated(name), begins: counts, aspect, scales, cps, heals: scales, ...more };
};

const SCRIPT = 'UserData/user_data.py';

/** The members of a zip. */
async function membersOf(zip: Buffer): Promise<PackageFiles> {
  const csar = await openCsar(bufferCsarSource(zip));
  const read = csar.members.map(async ({ name }) => [name, await csar.readMember(name, 1024 * 1024)] as const);
  return Object.fromEntries(await Promise.all(read));
}

const CASES: readonly Case[] = [
  ofCorpus('artifacts in short notation'),
  ofCorpus('templates in templates'),
  ofCorpus('a virtual address, and VMs that are kept apart'),
  {
    title: 'a script in Python',
    files: async () => membersOf(await scripted({ 'UserData/__init__.py': '', [SCRIPT]: FIRST_VERSION })),
    begins: { web: 1, db: 1, node: 1, VDU1: 1 },
    aspect: 'worker',
    scales: 'node',
    cps: ['VDU1_CP1', 'web_CP', 'db_CP', 'node_CP'],
    heals: 'db',
    additionalParams: { 'lcm-operation-user-data': `./${SCRIPT}`, 'lcm-operation-user-data-class': 'Data' },
  },
  {
    title: 'no template at all',
    files: () => shape('tiers'),
    begins: { web: 1, db: 1 },
    aspect: 'web_servers',
    scales: 'web',
    cps: ['web_front'],
    heals: 'db',
  },
];

/** Five packages of the corpus (tests/packages), from the upload to nothing left. They go side by side: a real Heat is slow by itself. */
describe('on a real OpenStack, a package of the corpus with', () => {
  let system: System;
  let vim: OpenStack;
  const instances: string[] = [];

  beforeAll(async () => {
    system = await startSystem({ stackWithin: minutes(8) });
    const { authUrl, credentials } = realConnection();
    vim = OpenStack.open(realConnection());
    const { username, password, project, userDomain, projectDomain } = credentials;
    const { status, data } = await system.api.post<JsonObject>('/v1.0/vims', {
      vim: {
        name: 'real',
        type: 'openstack',
        auth_url: authUrl,
        is_default: true,
        vim_project: { name: project, project_domain_name: projectDomain },
        auth_cred: { username, password: password.reveal(), user_domain_name: userDomain, cert_verify: 'True' },
      },
    });
    expect(status, JSON.stringify(data)).toBe(201);
  });

  /** Whatever became of a test. */
  afterAll(async () => {
    for (const id of instances)
      for (const stack of await vim.heat.listStacks({ tags: [vnfTag(id)] })) await vim.heat.deleteStack(stack);
    vim.close();
    await system.close();
  });

  /** Onboards it under a VNFD id of its own. */
  async function onboarded({ files }: Case): Promise<string> {
    const vnfdId = randomUUID();
    const own = Object.entries(await files()).map(([member, content]) => {
      const text = String(content);
      const ids = new RegExp(`${VNFD_ID}|3f6c3d50-4a5e-4b8f-9a6e-6a2f0d1c\\d{4}`, 'g');
      return [member, ids.test(text) ? text.replace(ids, vnfdId) : content] as const;
    });
    const shown = await onboardZip(system.api, zipOf(Object.fromEntries(own)));
    expect(shown.onboardingState, JSON.stringify(shown)).toBe('ONBOARDED');
    return vnfdId;
  }

  const vnfcsAt = async (url: string): Promise<ShownVnfc[]> => {
    const { instantiatedVnfInfo } = (await system.api.get<JsonObject>(url)).data;
    return (isJsonObject(instantiatedVnfInfo) ? instantiatedVnfInfo.vnfcResourceInfo : []) as unknown as ShownVnfc[];
  };
  const counts = (vnfcs: readonly ShownVnfc[]): Record<string, number> =>
    Object.fromEntries(vnfcs.map(({ vduId }) => [vduId, vnfcs.filter((each) => each.vduId === vduId).length]));
  const serversOf = (vnfcs: readonly ShownVnfc[]) => vnfcs.map(({ computeResource }) => computeResource.resourceId);

  it.concurrent.each(CASES)('$title is instantiated, scaled and healed, and leaves nothing', async (of) => {
    const url = await createVnf(system.api, await onboarded(of));
    const id = url.split('/').at(-1) ?? '';
    instances.push(id);
    const does = async (task: string, body: JsonObject): Promise<void> => {
      const op = await atRest(system.api, await system.api.post(`${url}/${task}`, body), minutes(9));
      expect(op, `${task}: ${JSON.stringify(op)}`).toMatchObject({ operationState: 'COMPLETED' });
    };
    const extCps = of.cps.map((cpdId) => ({
      cpdId,
      cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }],
    }));
    const params = of.additionalParams === undefined ? {} : { additionalParams: of.additionalParams };
    const flavourId = 'default';
    await does('instantiate', { flavourId, extVirtualLinks: [{ id: 'net', resourceId: 'net0', extCps }], ...params });
    const first = await vnfcsAt(url);
    expect(counts(first)).toEqual(of.begins);

    await does('scale', { type: 'SCALE_OUT', aspectId: of.aspect });
    const more = await vnfcsAt(url);
    expect(counts(more)).toEqual({ ...of.begins, [of.scales]: (of.begins[of.scales] ?? 0) + 1 });
    expect(serversOf(more)).toEqual(expect.arrayContaining(serversOf(first)));

    const target = more.find(({ vduId }) => vduId === of.heals);
    await does('heal', { vnfcInstanceId: target === undefined ? [] : [target.id] });
    const healed = await vnfcsAt(url);
    const stayed = serversOf(more.filter((each) => each !== target));
    expect(serversOf(healed)).toHaveLength(more.length);
    expect(serversOf(healed)).toEqual(expect.arrayContaining(stayed));
    expect(serversOf(healed)).not.toContain(target?.computeResource.resourceId);
    const running = (await vim.nova.listServers()).filter(({ id: server }) => serversOf(healed).includes(server));
    expect(running.map(({ status }) => status)).toEqual(healed.map(() => 'ACTIVE'));

    await does('terminate', { terminationType: 'FORCEFUL' });
    expect(await vim.heat.listStacks({ tags: [vnfTag(id)] })).toEqual([]);
    expect(await vim.glance.findImages({ tag: vnfTag(id) })).toEqual([]);
    const left = (await vim.nova.listServers()).filter(({ id: server }) => serversOf(healed).includes(server));
    expect(left).toEqual([]);
  });
});
