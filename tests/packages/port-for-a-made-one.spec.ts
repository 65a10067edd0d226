import { RequestError, type JsonObject } from '@windlass/foundation';
import { VimSessions } from '@windlass/infra-driver';
import { resourcesOf, stackInput, type InstantiateData } from '@windlass/user-data';
import { readVnfPackage, type Flavour } from '@windlass/vnf-package';
import { csarOf, zipOf } from '@windlass/vnf-package/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSample } from '../crash-points/support/samples.js';
import { vimOf } from '../crash-points/support/services.js';
import { World } from '../crash-points/support/world.js';
import { play } from '../lifecycle/support/desired-world.js';
import { shape, type Change } from './support/shapes.js';

const flavourOf = async (name: string, ...changes: readonly Change[]): Promise<Flavour> =>
  (await readVnfPackage(await csarOf(shape(name, ...changes)))).model.flavours[0]!;

const PORT = 'b0a7c0de-0000-4000-8000-000000000001';
const request = (cpdId: string): InstantiateData => ({
  extVirtualLinks: [
    {
      resourceId: 'net0',
      extLinkPorts: [{ id: 'p', resourceHandle: { resourceId: PORT } }],
      extCps: [{ cpdId, cpConfig: [{ linkPortId: 'p' }] }],
    },
  ],
});
/** A port on net0 that somebody prepared; its id. */
async function prepare(world: World, sessions: VimSessions): Promise<string> {
  const { session } = sessions.of({ connectionId: 'vim', ...vimOf(world.emulator).access });
  const found = await session.request('network', { method: 'GET', path: '/networks', query: { name: 'net0' }, expect: [200] });
  const [network] = found.body().objects('networks');
  const json = { port: { network_id: network?.text('id') ?? '', name: 'prepared' } };
  const made = await session.request('network', { method: 'POST', path: '/ports', json, expect: [201] });
  return made.body().object('port').text('id');
}

const vnfd = (from: string, to: string): Change => ({ member: 'Definitions/vnfd.yaml', from, to });

describe('templates that were made from a VNFD, and a port that was prepared for a connection point', () => {
  it('make no port, and the server has the prepared one', async () => {
    const flavour = await flavourOf('one-vm');
    const made = resourcesOf(stackInput({ flavour, request: request('VM_CP') }));
    expect(made.map(({ type }) => type)).toEqual(['OS::Nova::Server']);
    expect(made[0]?.properties.networks).toEqual([{ port: PORT }]);
  });

  it('make the port as ever where none is given', async () => {
    const flavour = await flavourOf('one-vm');
    const given = { extVirtualLinks: [{ resourceId: 'net0', extCps: [{ cpdId: 'VM_CP' }] }] };
    expect(resourcesOf(stackInput({ flavour, request: given })).map(({ type }) => type)).toEqual([
      'OS::Neutron::Port',
      'OS::Nova::Server',
    ]);
  });

  it('give the floating IP of the connection point to the prepared port', async () => {
    const floating =
      'order: 0, protocol: [ { associated_layer_protocol: ipv4, address_data: [ { address_type: ip_address, l3_address_data: { ip_address_assignment: false, floating_ip_activated: true } } ] } ]';
    const flavour = await flavourOf('one-vm', vnfd('order: 0', floating));
    const asked = { ...request('VM_CP'), additionalParams: { floating_network: 'public' } };
    const made = resourcesOf(stackInput({ flavour, request: asked }));
    expect(made.find(({ type }) => type === 'OS::Neutron::FloatingIP')?.properties.port_id).toBe(PORT);
  });

  it('are refused where two instances would have one port, at the field of the request', async () => {
    const flavour = await flavourOf('one-vm', vnfd('min_number_of_instances: 1, max_number_of_instances: 1', 'min_number_of_instances: 2, max_number_of_instances: 2')); // prettier-ignore
    const refused = (): unknown => stackInput({ flavour, request: request('VM_CP') });
    expect(refused).toThrow(RequestError);
    expect(refused).toThrow('/extVirtualLinks/0/extCps/0/cpConfig/0/linkPortId gives one port to "VM_CP", of which 2 are made');
  });
});

describe('a scaling of a VDU whose connection point has a prepared port', () => {
  const sized = (scaleLevel: number, flavour: Flavour) =>
    stackInput({
      flavour,
      request: request('web_front'),
      scaleStatus: [{ aspectId: 'web_servers', scaleLevel }],
      resizes: true,
      sizeField: '/numberOfSteps',
    });

  it('to several is refused at its own field, with the way out: a port is one connection point’s', async () => {
    const flavour = await flavourOf('tiers');
    const refused = (): unknown => sized(1, flavour);
    expect(refused).toThrow(RequestError);
    expect(refused).toThrow(
      '/numberOfSteps would make 2 of the connection point "web_front", which has one port of the request that connected it: connect it without that by change_ext_conn, then scale',
    );
  });

  it('to one has the port', async () => {
    const made = resourcesOf(sized(0, await flavourOf('tiers')));
    expect(JSON.stringify(made)).toContain(PORT);
  });
});

describe('a VNF without templates whose connection point has a prepared port', () => {
  let world: World;
  let sessions: VimSessions;
  beforeEach(async () => {
    world = await World.start(await readSample('one-vm', zipOf(shape('one-vm'))));
    sessions = new VimSessions(undefined);
  });
  afterEach(async () => {
    sessions.close();
    await world.close();
  });

  const preparedPort = (): Promise<string> => prepare(world, sessions);
  const portIds = (): string[] => world.emulator.inventory().flatMap(({ ports }) => ports.map(({ id }) => id));
  const given = (portId: string | undefined, id = 'p'): JsonObject => ({
    id: 'net',
    resourceId: 'net0',
    ...(portId === undefined ? {} : { extLinkPorts: [{ id, resourceHandle: { resourceId: portId } }] }),
    extCps: [
      {
        cpdId: 'VM_CP',
        cpConfig: [portId === undefined ? { cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] } : { linkPortId: id }],
      },
    ],
  });
  const cps = () => world.instance.instantiated?.info.extVirtualLinkInfo?.flatMap(({ extLinkPorts }) => extLinkPorts ?? []) ?? [];
  const linkPorts = (): string[] => cps().map(({ resourceHandle }) => resourceHandle.resourceId);

  it('keeps it when it is healed, and leaves it when it is terminated', async () => {
    const port = await preparedPort();
    expect((await play(world, 'INSTANTIATE', { flavourId: 'default', extVirtualLinks: [given(port)] })).state).toBe('COMPLETED');
    expect([portIds(), linkPorts()]).toEqual([[port], [port]]);
    const [vnfc] = world.instance.instantiated?.info.vnfcResourceInfo ?? [];
    for (const request of [{ vnfcInstanceId: [vnfc?.id ?? ''] }, {}])
      expect((await play(world, 'HEAL', request)).state).toBe('COMPLETED');
    expect([portIds(), linkPorts()]).toEqual([[port], [port]]);
    expect((await play(world, 'TERMINATE', { terminationType: 'FORCEFUL' })).state).toBe('COMPLETED');
    expect(portIds()).toEqual([port]);
  });

  it('moves to another one, to one of its own and back, by CHANGE_EXT_CONN', async () => {
    const [first, second] = [await preparedPort(), await preparedPort()];
    await play(world, 'INSTANTIATE', { flavourId: 'default', extVirtualLinks: [given(first)] });
    const moves: [JsonObject, (ports: string[]) => void][] = [
      [
        given(second, 'q'),
        (ports) => {
          expect(ports).toEqual([second]);
        },
      ],
      [
        given(undefined),
        ([own = '', ...others]) => {
          expect([first, second]).not.toContain(own);
          expect(others).toEqual([]);
        },
      ],
      [
        given(first),
        (ports) => {
          expect(ports).toEqual([first]);
        },
      ],
    ];
    for (const [link, seen] of moves) {
      expect((await play(world, 'CHANGE_EXT_CONN', { extVirtualLinks: [link] })).state).toBe('COMPLETED');
      seen(linkPorts());
    }
    expect(portIds().sort()).toEqual([first, second].sort());
  });
});
