import type { RequestError } from '@windlass/foundation';
import type { ExtVirtualLinkData, InstantiateVnfRequest, VimConnectionInfo } from '@windlass/sol003';
import { flavourOf, readVnfPackage, type Flavour } from '@windlass/vnf-package';
import { csarOf, singleFileVnfd, smallestPackage } from '@windlass/vnf-package/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { refuseUnusedConnectivity, unusedConnectivity } from './unused-connectivity.js';

type Config = ExtVirtualLinkData['extCps'][number]['cpConfig'][number];

/** `VDU1_CP1` may be given addresses, `fixed` and `inner` may not; `given` takes a prepared port and a MAC address. */
let flavour: Flavour;

beforeAll(async () => {
  const cp = (name: string, more = '') =>
    `    ${name}: { type: tosca.nodes.nfv.VduCp, requirements: [ { virtual_binding: VDU1 }${more} ] }\n`;
  const nodes = `    net: { type: tosca.nodes.nfv.VnfVirtualLink }\n${cp('fixed')}${cp('given')}${cp('deaf')}${cp('each')}${cp('inner', ', { virtual_link: net }')}`;
  const asked = (name: string, ...attributes: string[]) =>
    `  ${name}: { type: OS::Neutron::Port, properties: { ${attributes.map((each) => `${each}: { get_param: [ nfv, CP, ${name}, ${each} ] }`).join(', ')} } }\n`;
  const nth = (name: string, n: number) =>
    `  ${name}: { type: OS::Neutron::Port, properties: { network: { get_param: [ nfv, CP, each, network ] }, fixed_ips: [ { ip_address: { get_param: [ nfv, CP, each, fixed_ips, ${n}, ip_address ] } } ] } }\n`;
  const files = smallestPackage({
    'Definitions/top.yaml': singleFileVnfd({ nodes }),
    'BaseHOT/default/top.yaml': `parameters: { nfv: { type: json } }\nresources:\n${asked('VDU1_CP1', 'network', 'fixed_ips')}${asked('fixed', 'network')}${asked('given', 'port', 'mac_address')}${nth('one', 0)}${nth('two', 1)}`,
  });
  flavour = flavourOf((await readVnfPackage(await csarOf(files))).model, 'default');
});

const VIM = { connectionId: 'here', vimId: '9f1' };

const link = (cpdId: string, config: Config = {}, more: Partial<ExtVirtualLinkData> = {}): ExtVirtualLinkData => ({
  id: `to ${cpdId}`,
  resourceId: 'net0',
  extCps: [{ cpdId, cpConfig: [config] }],
  ...more,
});
const ethernet = (ipOverEthernet: object): Config => ({
  cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet }] as Config['cpProtocolData'] & object,
});
const PREPARED = { extLinkPorts: [{ id: 'prepared', resourceHandle: { resourceId: 'port-1' } }] };

const told = (...extVirtualLinks: ExtVirtualLinkData[]): string[] => unusedConnectivity(flavour, { extVirtualLinks }, VIM);

function refused(request: Partial<InstantiateVnfRequest>): (string | undefined)[][] {
  try {
    refuseUnusedConnectivity(flavour, request);
  } catch (error) {
    return ((error as RequestError).invalidParams ?? []).map(({ path, reason }) => [path, reason]);
  }
  return [];
}

describe('a prepared port', () => {
  it('that the templates don’t take is refused at its place, with what to do', () => {
    expect(refused({ extVirtualLinks: [link('VDU1_CP1', { linkPortId: 'prepared' }, PREPARED)] })).toEqual([
      [
        '/extVirtualLinks/0/extCps/0/cpConfig/0/linkPortId',
        expect.stringMatching(/templates make the port .* leave it out.*nfv, CP, VDU1_CP1, port/),
      ],
    ]);
  });

  it('that the templates take is right', () => {
    const request = { extVirtualLinks: [link('given', { linkPortId: 'prepared' }, PREPARED)] };
    expect([refused(request), told(...request.extVirtualLinks)]).toEqual([[], []]);
  });

  it('that the link has not is refused with those that it has', () => {
    expect(refused({ extVirtualLinks: [link('given', { linkPortId: 'prepaired' }, PREPARED)] })).toEqual([
      ['/extVirtualLinks/0/extCps/0/cpConfig/0/linkPortId', 'the link has no port "prepaired"; its extLinkPorts are "prepared"'],
    ]);
  });

  it('that nothing names is told, and so are addresses beside one', () => {
    expect(told(link('VDU1_CP1', {}, PREPARED))).toEqual([
      expect.stringContaining('port "prepared" of the link "to VDU1_CP1" is not used'),
    ]);
    const beside = { ...ethernet({ ipAddresses: [{ type: 'IPV4', fixedAddresses: ['10.0.0.5'] }] }), linkPortId: 'prepared' };
    expect(told(link('given', beside, PREPARED))).toEqual([expect.stringContaining('a prepared port has its own')]);
  });
});

describe('addresses', () => {
  const fixed = ethernet({ ipAddresses: [{ type: 'IPV4', fixedAddresses: ['10.0.0.5'] }] });

  it('that the templates don’t take are refused: the VM would have another', () => {
    expect(refused({ extVirtualLinks: [link('fixed', fixed)] })).toEqual([
      [
        '/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses/0/fixedAddresses',
        expect.stringContaining('take no addresses for "fixed"'),
      ],
    ]);
    expect(refused({ extVirtualLinks: [link('VDU1_CP1', fixed)] })).toEqual([]);
  });

  it('of a configuration that differs from the first are refused where the ports are made alike, and an equal one is right', () => {
    const other = ethernet({ ipAddresses: [{ type: 'IPV4', fixedAddresses: ['10.0.0.6'] }] });
    const two = (...cpConfig: Config[]) => ({
      extVirtualLinks: [{ ...link('VDU1_CP1'), extCps: [{ cpdId: 'VDU1_CP1', cpConfig }] }],
    });
    expect(refused(two(fixed, other))).toEqual([
      [
        '/extVirtualLinks/0/extCps/0/cpConfig/1',
        expect.stringMatching(/make all of them alike: leave the addresses to the VIM .* or have the templates ask/),
      ],
    ]);
    expect(refused(two(fixed, fixed))).toEqual([]);
    expect(refused({ extVirtualLinks: [{ ...link('each'), extCps: [{ cpdId: 'each', cpConfig: [fixed, other] }] }] })).toEqual(
      [],
    );
  });

  it('a MAC address is told where the templates take none', () => {
    const mac = ethernet({ macAddress: 'fa:16:3e:00:00:01' });
    expect(told(link('VDU1_CP1', mac))).toEqual([
      'the MAC address that is given to "VDU1_CP1" is not applied: templates take none',
    ]);
  });

  it.each([
    ['two without a subnet', { type: 'IPV4', numDynamicAddresses: 2 }, 1],
    ['one of IPv6 without a subnet', { type: 'IPV6', numDynamicAddresses: 1 }, 1],
    ['two with a subnet', { type: 'IPV4', numDynamicAddresses: 2, subnetId: 's' }, 0],
    ['one', { type: 'IPV4', numDynamicAddresses: 1 }, 0],
  ])('dynamic ones: %s', (_, addresses, sentences) => {
    expect(told(link('VDU1_CP1', ethernet({ ipAddresses: [addresses] })))).toHaveLength(sentences);
  });

  it('a subnet that the templates don’t take is told', () => {
    const subnet = ethernet({ ipAddresses: [{ type: 'IPV4', numDynamicAddresses: 1, subnetId: 's' }] });
    expect(told(link('fixed', subnet))).toEqual([expect.stringContaining('subnetId that is given to "fixed" has no effect')]);
  });
});

describe('a connection point', () => {
  it('that the flavour has not is told, with the one that may be meant', () => {
    expect(told(link('VDU1_CP'))).toEqual([
      expect.stringMatching(
        /"VDU1_CP" is connected to nothing: .* has no external connection point "VDU1_CP" \(did you mean "VDU1_CP1"\?\)/,
      ),
    ]);
  });

  it('that the templates connect themselves is told', () => {
    expect(told(link('deaf'))).toEqual([expect.stringContaining('templates take no network for it')]);
  });

  it('named twice is refused: one of the networks would be passed over', () => {
    expect(refused({ extVirtualLinks: [link('fixed'), link('fixed', {}, { id: 'again' })] })).toEqual([
      ['/extVirtualLinks/1/extCps/0/cpdId', expect.stringContaining('name it once')],
    ]);
  });

  it('of which an instance is named before there is one is told', () => {
    expect(told(link('fixed', { cpInstanceId: 'i' }))).toEqual([expect.stringContaining('nothing is there yet')]);
  });
});

describe('other parts of the request', () => {
  const managed = (vnfVirtualLinkDescId: string, more: object = {}) => ({
    id: 'm',
    vnfVirtualLinkDescId,
    resourceId: 'n1',
    ...more,
  });

  it('a managed network of a virtual link that there is not is told; one given twice is refused', () => {
    const of = (...extManagedVirtualLinks: ReturnType<typeof managed>[]) =>
      unusedConnectivity(flavour, { extManagedVirtualLinks }, VIM);
    expect(of(managed('nett'))).toEqual([expect.stringMatching(/network n1 has no effect: .*\(did you mean "net"\?\)/)]);
    expect(of(managed('net'))).toEqual([]);
    expect(refused({ extManagedVirtualLinks: [managed('net'), managed('net')] })).toEqual([
      ['/extManagedVirtualLinks/1/vnfVirtualLinkDescId', expect.stringContaining('name it once')],
    ]);
  });

  it('a link of another VIM connection is told where it is looked for', () => {
    expect(told(link('fixed', {}, { vimConnectionId: 'elsewhere' }))).toEqual([
      expect.stringContaining('"elsewhere" of the link "to fixed"'),
    ]);
    for (const vimConnectionId of ['here', '9f1']) expect(told(link('fixed', {}, { vimConnectionId }))).toEqual([]);
  });

  it('a connection that is not chosen is told, and so is what a described one is not logged in with, without its value', () => {
    const vim = (id: string, accessInfo: VimConnectionInfo['accessInfo'] & object): VimConnectionInfo => ({
      id,
      vimType: 'openstack',
      interfaceInfo: { endpoint: 'https://vim', skipCertificateVerification: true, trustedCertificate: 'pem' },
      accessInfo,
    });
    const ids = { projectId: 'p-1', project_id: 'p-1', userDomainId: 'd', user_domain_id: 'd' };
    const vimConnectionInfo = [vim('here', { username: 'u', projectName: 'p4ssw0rd', ...ids }), vim('other', {})];
    expect(unusedConnectivity(flavour, { vimConnectionInfo }, VIM)).toEqual([
      expect.stringContaining('connection "other" is not used'),
      'accessInfo.projectName of the VIM connection "here" is not used: did you mean project?',
      'interfaceInfo.trustedCertificate of the VIM connection "here" is not used: did you mean trustedCertificates?',
    ]);
  });
});
