import { RequestError } from '@windlass/foundation';
import { flavourOf, readVnfPackage, type Flavour } from '@windlass/vnf-package';
import { csarOf, singleFileVnfd, smallestPackage } from '@windlass/vnf-package/testing';
import { expect, test } from 'vitest';
import { heatParameters, type InstantiateData } from './index.js';

const refused = (attempt: () => unknown): RequestError => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('was accepted');
};

/** A package whose one VDU and port are asked for by these resources. */
const asking = async (resources: string): Promise<Flavour> => {
  const files = smallestPackage({
    'Definitions/top.yaml': singleFileVnfd({}),
    'BaseHOT/default/top.yaml': `parameters: { nfv: { type: json } }\nresources:\n${resources}`,
  });
  return flavourOf((await readVnfPackage(await csarOf(files))).model, 'default');
};

const cpConfig = (...addresses: string[]) =>
  Object.fromEntries(
    addresses.map((each, n) => [
      `c${n}`,
      { cpProtocolData: [{ ipOverEthernet: { ipAddresses: [{ fixedAddresses: [each] }] } }] },
    ]),
  );
const request = (...addresses: string[]): InstantiateData => ({
  extVirtualLinks: [{ resourceId: 'net', extCps: [{ cpdId: 'VDU1_CP1', cpConfig: cpConfig(...addresses) }] }],
});
const port = (name: string, property: string) =>
  `  ${name}: { type: OS::Neutron::Port, properties: { fixed_ips: ${property} } }\n`;
const nth = (n: number) => `[ { ip_address: { get_param: [ nfv, CP, VDU1_CP1, fixed_ips, ${n}, ip_address ] } } ]`;

test('two instances whose templates ask by place get an address each, from two configurations or from one', async () => {
  const flavour = await asking(port('a', nth(0)) + port('b', nth(1)));
  const two = { CP: { VDU1_CP1: { fixed_ips: [{ ip_address: '10.0.0.5' }, { ip_address: '10.0.0.6' }] } } };
  expect(heatParameters({ flavour, request: request('10.0.0.5', '10.0.0.6') }).nfv).toEqual(two);
  const both = { cpProtocolData: [{ ipOverEthernet: { ipAddresses: [{ fixedAddresses: ['10.0.0.5', '10.0.0.6'] }] } }] };
  const one = { extVirtualLinks: [{ resourceId: 'net', extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [both] }] }] };
  expect(heatParameters({ flavour, request: one }).nfv).toEqual(two);
});

test('one address where the templates ask for two is asked for', async () => {
  const flavour = await asking(port('a', nth(0)) + port('b', nth(1)));
  expect(refused(() => heatParameters({ flavour, request: request('10.0.0.5') })).invalidParams).toMatchObject([
    { reason: expect.stringContaining('fixed_ips/1/ip_address') as string },
  ]);
});

test('what an older release took stays: of several configurations that differ the first counts where the ports are made alike', async () => {
  const flavour = await asking(port('VDU1_CP1', '{ get_param: [ nfv, CP, VDU1_CP1, fixed_ips ] }'));
  expect(heatParameters({ flavour, request: request('10.0.0.5', '10.0.0.6') }).nfv).toEqual({
    CP: { VDU1_CP1: { fixed_ips: [{ ip_address: '10.0.0.5' }] } },
  });
});

test('a MAC address and a prepared port are given to templates that ask for them', async () => {
  const resources = `  p: { type: OS::Neutron::Port, properties: { mac_address: { get_param: [ nfv, CP, VDU1_CP1, mac_address ] } } }
  s: { type: OS::Nova::Server, properties: { networks: [ { port: { get_param: [ nfv, CP, VDU1_CP1, port ] } } ] } }
`;
  const flavour = await asking(resources);
  const given = (config: object, ports: string[] = ['prepared']): InstantiateData => ({
    extVirtualLinks: [
      {
        resourceId: 'net',
        extLinkPorts: ports.map((id) => ({ id, resourceHandle: { resourceId: `neutron-${id}` } })),
        extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [config] }],
      },
    ],
  });
  const mac = { cpProtocolData: [{ ipOverEthernet: { macAddress: 'fa:16:3e:00:00:01' } }] };
  expect(heatParameters({ flavour, request: given({ ...mac, linkPortId: 'prepared' }) }).nfv).toEqual({
    CP: { VDU1_CP1: { mac_address: 'fa:16:3e:00:00:01', port: 'neutron-prepared' } },
  });
  const hyphens = { cpProtocolData: [{ ipOverEthernet: { macAddress: 'FA-16-3E-00-00-0A' } }] };
  expect(heatParameters({ flavour, request: given({ ...hyphens, linkPortId: 'prepared' }) }).nfv).toMatchObject({
    CP: { VDU1_CP1: { mac_address: 'fa:16:3e:00:00:0a' } },
  });
  expect(refused(() => heatParameters({ flavour, request: given({ linkPortId: 'other' }) })).invalidParams).toEqual([
    { path: expect.stringContaining('macAddress') as string, reason: expect.stringContaining('is missing') as string },
    { path: expect.stringContaining('linkPortId') as string, reason: expect.stringContaining('"other"') as string },
  ]);
});
