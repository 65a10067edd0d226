import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenStackClient } from './support/client.js';
import { createdVnf, instantiation, onboarded, operationAt, startClientRig, type ClientRig } from './support/rig.js';

let rig: ClientRig;
let vnfdId: string;
beforeAll(async () => {
  rig = await startClientRig();
  ({ vnfdId } = await onboarded(rig.client));
});
afterAll(() => rig.close());

/** What the command line calls the columns of an operation occurrence. */
const OPERATION_COLUMNS = [
  'ID',
  'Operation State',
  'State Entered Time',
  'Start Time',
  'VNF Instance ID',
  'Operation',
  'Is Automatic Invocation',
  'Is Cancel Pending',
  'Links',
  'Operation Parameters',
];

describe.each([{ version: '1' }, { version: '2' }])('openstack vnflcm, version $version of the API', ({ version }) => {
  const client = (): OpenStackClient => rig.client.in({ OS_TACKER_API_VERSION: version });

  it('creates, instantiates, scales, heals, moves to another network, updates, terminates and deletes', async () => {
    const vnf = await created();
    await instantiated(vnf);
    await scaled(vnf);
    await healed(vnf);
    await connected(vnf);
    await updated(vnf);
    await shownOperations(vnf);
    const early = await client().run('vnflcm', 'delete', vnf);
    expect([early.status, early.stderr]).toEqual([1, expect.stringContaining('Failed to delete 1 of 1 vnf instances.')]);
    expect(await client().ok('vnflcm', 'terminate', '--termination-type', 'FORCEFUL', '--D', vnf)).toBe(
      [
        `Terminate request for VNF Instance '${vnf}' has been accepted.`,
        'Waiting for vnf instance to be terminated before deleting',
        `VNF Instance '${vnf}' is deleted successfully`,
      ].join('\n'),
    );
    const gone = await client().run('vnflcm', 'show', vnf);
    expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining(vnf)]);
  });

  async function created(): Promise<string> {
    const shown = await client().show('vnflcm', 'create', vnfdId, '--name', `by ${version}`, '--description', 'a first one');
    expect(shown).toMatchObject({
      'VNF Instance Name': `by ${version}`,
      'VNF Instance Description': 'a first one',
      'Instantiation State': 'NOT_INSTANTIATED',
      'VNFD ID': vnfdId,
      'VNF Provider': 'Me',
      'VNF Product Name': 'Scaling',
      'VNF Software Version': '1.0',
      'VNFD Version': '1.0',
      Links: { instantiate: { href: expect.stringContaining(`/vnflcm/v${version}/`) as string } },
    });
    expect(await client().list('vnflcm', 'list')).toEqual(
      expect.arrayContaining([
        {
          ID: shown.ID,
          'VNF Instance Name': `by ${version}`,
          'Instantiation State': 'NOT_INSTANTIATED',
          'VNF Provider': 'Me',
          'VNF Software Version': '1.0',
          'VNF Product Name': 'Scaling',
          'VNFD ID': vnfdId,
        },
      ]),
    );
    return String(shown.ID);
  }

  async function instantiated(vnf: string): Promise<void> {
    const file = await instantiation(client(), version);
    expect(await client().ok('vnflcm', 'instantiate', vnf, file)).toBe(
      `Instantiate request for VNF Instance ${vnf} has been accepted.`,
    );
    await completed(vnf, 'INSTANTIATE');
    expect(await client().show('vnflcm', 'show', vnf)).toMatchObject({
      'Instantiation State': 'INSTANTIATED',
      'Instantiated Vnf Info': { flavourId: 'default', vnfState: 'STARTED' },
      Links: { terminate: {}, scale: {}, heal: {} },
    });
  }

  async function scaled(vnf: string): Promise<void> {
    const scale = (type: string): Promise<string> =>
      client().ok('vnflcm', 'scale', '--type', type, '--aspect-id', 'worker', '--number-of-steps', '1', vnf);
    expect(await scale('SCALE_OUT')).toBe(`Scale request for VNF Instance ${vnf} has been accepted.`);
    const out = await completed(vnf, 'SCALE');
    expect(await client().show('vnflcm', 'op', 'show', out)).toMatchObject({
      'Resource Changes': { affectedVnfcs: [{ vduId: 'node', changeType: 'ADDED' }] },
    });
    const past = await client().run('vnflcm', 'scale', '--type', 'SCALE_OUT', '--aspect-id', 'nothing', vnf);
    expect([past.status, past.stderr]).toEqual([1, expect.stringContaining('aspect')]);
  }

  async function healed(vnf: string): Promise<void> {
    const { 'Instantiated Vnf Info': info } = await client().show('vnflcm', 'show', vnf);
    const { vnfcResourceInfo, vnfcInfo } = info as Record<string, { id: string }[]>;
    const one = (version === '1' ? vnfcResourceInfo : vnfcInfo)?.[0]?.id ?? '';
    const params = await client().file('heal.json', { additionalParams: { all: true } });
    const args = ['--cause', 'broken', '--vnfc-instance', one, '--additional-param-file', params];
    expect(await client().ok('vnflcm', 'heal', ...args, '--', vnf)).toBe(
      `Heal request for VNF Instance ${vnf} has been accepted.`,
    );
    const heal = await completed(vnf, 'HEAL');
    expect(await client().show('vnflcm', 'op', 'show', heal)).toMatchObject({
      'Operation Parameters': { cause: 'broken', vnfcInstanceId: [one], additionalParams: { all: true } },
    });
  }

  async function connected(vnf: string): Promise<void> {
    const cpConfig = { cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] };
    const extCps = [{ cpdId: 'node_CP', cpConfig: version === '1' ? [cpConfig] : { node_CP_1: cpConfig } }];
    const asked = { extVirtualLinks: [{ id: 'other', resourceId: 'net1', extCps }] };
    const file = await client().file(`connect-${version}.json`, asked);
    expect(await client().ok('vnflcm', 'change-ext-conn', vnf, file)).toBe(
      `Change External VNF Connectivity for VNF Instance ${vnf} has been accepted.`,
    );
    const change = await completed(vnf, 'CHANGE_EXT_CONN');
    expect(await client().show('vnflcm', 'op', 'show', change)).toMatchObject({
      'Changed External Connectivity': [{ id: 'net' }, { id: 'other', resourceHandle: { resourceId: 'net1' } }],
    });
    const { 'Instantiated Vnf Info': info } = await client().show('vnflcm', 'show', vnf);
    const { extVirtualLinkInfo } = info as { extVirtualLinkInfo: { id: string; extLinkPorts: object[] }[] };
    expect(extVirtualLinkInfo.map(({ id, extLinkPorts }) => [id, extLinkPorts.length])).toEqual([
      ['net', 3],
      ['other', 2],
    ]);
    const nobody = await client().file('nobody.json', { extVirtualLinks: [] });
    const refused = await client().run('vnflcm', 'change-ext-conn', vnf, nobody);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('extVirtualLinks')]);
  }

  async function updated(vnf: string): Promise<void> {
    const patch = { vnfInstanceName: 'renamed', metadata: { site: 'north' } };
    expect(await client().ok('vnflcm', 'update', '--I', await client().file('patch.json', patch), vnf)).toBe(`Update vnf:${vnf}`);
    const modification = await completed(vnf, 'MODIFY_INFO');
    expect(await client().show('vnflcm', 'op', 'show', modification)).toMatchObject({ 'Changed Info': patch });
    expect(await client().show('vnflcm', 'show', vnf)).toMatchObject({ 'VNF Instance Name': 'renamed' });
  }

  async function shownOperations(vnf: string): Promise<void> {
    const only = ['--filter', `(eq,vnfInstanceId,${vnf})`];
    const all = await client().list('vnflcm', 'op', 'list', ...only);
    expect(all.map(({ Operation }) => Operation).sort()).toEqual([
      'CHANGE_EXT_CONN',
      'HEAL',
      'INSTANTIATE',
      'MODIFY_INFO',
      'SCALE',
    ]);
    expect(Object.keys(all[0] ?? {})).toEqual(['ID', 'Operation State', 'VNF Instance ID', 'Operation']);
    const listed = async (...selector: string[]): Promise<number> =>
      (await client().list('vnflcm', 'op', 'list', ...only, ...selector)).length;
    expect([await listed('--fields', 'operationParams'), await listed('--exclude-fields', 'error')]).toEqual([5, 5]);
    const shown = await client().show('vnflcm', 'op', 'show', String(all[0]?.ID));
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(OPERATION_COLUMNS));
    const unknown = await client().run('vnflcm', 'op', 'list', '--fields', 'nonsense');
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('nonsense')]);
  }

  const completed = (vnf: string, operation: string): Promise<string> => operationAt(client(), vnf, operation, 'COMPLETED');

  it('creates and instantiates in one command', async () => {
    const file = await instantiation(client(), version);
    const printed = await client().ok('vnflcm', 'create', vnfdId, '--I', file, '-f', 'value', '-c', 'ID');
    const vnf = printed.split('\n').at(-1) ?? '';
    expect(printed).toContain(`VNF Instance ${vnf} is created and instantiation request has been accepted.`);
    await completed(vnf, 'INSTANTIATE');
    await client().ok('vnflcm', 'terminate', '--termination-type', 'GRACEFUL', '--graceful-termination-timeout', '1', vnf);
    await completed(vnf, 'TERMINATE');
    expect(await client().ok('vnflcm', 'delete', vnf)).toBe(`Vnf instance '${vnf}' is deleted successfully`);
  });

  if (version === '2')
    it('is told why a package can’t be changed', async () => {
      const vnf = await createdVnf(client(), vnfdId);
      const file = await client().file('change.json', { vnfdId });
      const refused = await client().run('vnflcm', 'change-vnfpkg', vnf, file);
      expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('this release has no upgrades')]);
      await client().ok('vnflcm', 'delete', vnf);
    });

  it('deletes several at once', async () => {
    const both = [await createdVnf(client(), vnfdId), await createdVnf(client(), vnfdId)];
    expect(await client().ok('vnflcm', 'delete', ...both)).toBe('All specified vnf instances are deleted successfully');
  });

  it('shows the versions, of the whole API and of one of them', async () => {
    expect(await client().show('vnflcm', 'versions')).toMatchObject({ uriPrefix: '/vnflcm' });
    for (const [major, is] of [
      ['1', '1.3.0'],
      ['2', '2.0.0'],
    ] as const)
      expect(await client().show('vnflcm', 'versions', '--major-version', major)).toEqual({
        uriPrefix: `/vnflcm/v${major}`,
        apiVersions: [{ version: is, isDeprecated: false }],
      });
  });
});
