import type { RequestError } from '@windlass/foundation';
import type { ExtVirtualLinkData } from '@windlass/sol003';
import { stackInput } from '@windlass/user-data';
import { flavourOf, readVnfPackage, type Flavour } from '@windlass/vnf-package';
import { csarOf, singleFileVnfd, smallestPackage } from '@windlass/vnf-package/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DesiredState } from '../../records/desired-state.js';
import { connectivityChange } from './connectivity-change.js';
import { reconnected } from './connectivity-request.js';

/** `given` and `other` take a prepared port, `made` does not. */
let flavour: Flavour;

beforeAll(async () => {
  const cp = (name: string) => `    ${name}: { type: tosca.nodes.nfv.VduCp, requirements: [ { virtual_binding: VDU1 } ] }\n`;
  const port = (name: string) => `{ port: { get_param: [ nfv, CP, ${name}, port ] } }`;
  const files = smallestPackage({
    'Definitions/top.yaml': singleFileVnfd({ nodes: `${cp('given')}${cp('other')}${cp('made')}` }),
    'BaseHOT/default/top.yaml': `heat_template_version: 2013-05-23
parameters: { nfv: { type: json } }
resources:
  VDU1: { type: OS::Nova::Server, properties: { networks: [ ${port('given')}, ${port('other')}, { port: { get_resource: made } } ] } }
  made: { type: OS::Neutron::Port, properties: { network: { get_param: [ nfv, CP, made, network ] } } }
`,
  });
  flavour = flavourOf((await readVnfPackage(await csarOf(files))).model, 'default');
});

type Ports = Record<string, string>;
const cp = (cpdId: string, linkPortId?: string) => ({ cpdId, cpConfig: [linkPortId === undefined ? {} : { linkPortId }] });
const link = (id: string, ports: Ports, ...extCps: ReturnType<typeof cp>[]): ExtVirtualLinkData => ({
  id,
  resourceId: 'net0',
  extCps,
  extLinkPorts: Object.entries(ports).map(([name, resourceId]) => ({ id: name, resourceHandle: { resourceId } })),
});

/** On two prepared ports, and one that the template makes. */
const desired = (more: Partial<DesiredState> = {}): DesiredState =>
  ({
    flavourId: 'default',
    extVirtualLinks: [link('net', { a: 'port-a', b: 'port-b' }, cp('given', 'a'), cp('other', 'b'), cp('made'))],
    ...more,
  }) as DesiredState;

const after = (asked: ExtVirtualLinkData[], more: Partial<DesiredState> = {}, instances = 1): DesiredState => {
  const extCpInfo = Array.from({ length: instances }, (_, n) => ({ id: `cp-${n}`, cpdId: 'given' }));
  return reconnected({ desired: desired(more), flavour, info: { extCpInfo } as never }, { extVirtualLinks: asked });
};

function refused(asked: ExtVirtualLinkData[], more: Partial<DesiredState> = {}, instances = 1): unknown[][] {
  try {
    after(asked, more, instances);
  } catch (error) {
    return ((error as RequestError).invalidParams ?? []).map(({ path, reason }) => [path, reason]);
  }
  return [];
}

const AT = '/extVirtualLinks/0/extCps/0/cpConfig/0/linkPortId';

describe('a connection point that is moved to another prepared port', () => {
  it('has that port in what Heat is asked for, and those that are not named keep theirs', () => {
    const wanted = after([link('net', { c: 'port-c' }, cp('given', 'c'))]);
    expect(wanted.extVirtualLinks?.flatMap(({ extLinkPorts = [] }) => extLinkPorts.map(({ id }) => id))).toEqual(['b', 'c']);
    const { parameters } = stackInput({ flavour, request: wanted, imageRefs: {}, scaleStatus: [], computed: undefined } as never);
    expect(parameters.nfv).toMatchObject({
      CP: { given: { port: 'port-c' }, other: { port: 'port-b' }, made: { network: 'net0' } },
    });
  });

  it('on a link of its own has it, too', () => {
    const wanted = after([link('new', { a: 'port-c' }, cp('given', 'a'))]);
    const { parameters } = stackInput({ flavour, request: wanted, imageRefs: {}, scaleStatus: [], computed: undefined } as never);
    expect(parameters.nfv).toMatchObject({ CP: { given: { port: 'port-c' }, other: { port: 'port-b' } } });
  });

  it('moves by the word that drivers get, on the same network, too', () => {
    const request = (port: string) => ({ extVirtualLinks: [link('net', { a: port }, cp('given', 'a'))] });
    const moves = (port: string) => connectivityChange(desired(), request(port), { vnfcs: [], sharedCps: [] }).cps;
    expect(moves('port-c')).toEqual([{ cpdId: 'given', moves: true }]);
    expect(moves('port-a')).toEqual([{ cpdId: 'given', moves: false }]);
  });

  it('is refused at its place where the templates make the port, with what to do', () => {
    expect(refused([link('net', { c: 'port-c' }, cp('made', 'c'))])).toEqual([
      [AT, expect.stringMatching(/templates make the port of "made" .* give a network; .*nfv, CP, made, port/)],
    ]);
  });

  it('is refused where the link has no such port, or the request gives none', () => {
    expect(refused([link('net', { c: 'port-c' }, cp('given', 'd'))])).toEqual([
      [AT, 'the link has no port "d"; its extLinkPorts are "c"'],
    ]);
    expect(refused([link('net', {}, cp('given'))])).toEqual([[AT, expect.stringContaining('is missing: the templates take')]]);
  });

  it('may have its port from additionalParams, as at the instantiation', () => {
    const request = {
      extVirtualLinks: [link('net', {}, cp('given'))],
      additionalParams: { nfv: { CP: { given: { port: 'port-d' } } } },
    };
    const { additionalParams } = reconnected({ desired: desired(), flavour, info: {} }, request as never);
    expect(additionalParams).toEqual({ nfv: { CP: { given: { port: 'port-d' } } } });
  });

  it('is refused where several instances would get one port', () => {
    expect(refused([link('net', { c: 'port-c' }, cp('given', 'c'))], {}, 2)).toEqual([
      [AT, expect.stringContaining('gives one port to "given", of which there are 2')],
    ]);
  });

  it('is refused the port of one that stays, and may change ports with one that is named', () => {
    expect(refused([link('net', { c: 'port-b' }, cp('given', 'c'))])).toEqual([
      [AT, 'the port port-b is that of "other", which stays as it is: give another port'],
    ]);
    expect(refused([link('net', { a: 'port-a', b: 'port-b' }, cp('given', 'b'), cp('other', 'a'))])).toEqual([]);
  });

  it('is refused a name by which one that stays has another port', () => {
    expect(refused([link('net', { b: 'port-c' }, cp('given', 'b'))])).toEqual([
      [
        '/extVirtualLinks/0/extLinkPorts/0/id',
        expect.stringContaining('"b" is the port port-b of a connection point that stays'),
      ],
    ]);
  });

  it('has the port that a script of the package is told of, whatever the templates ask for', () => {
    expect(refused([link('net', { c: 'port-c' }, cp('made', 'c'))], { computed: {} as never })).toEqual([]);
  });
});
