import type { JsonObject } from '@windlass/foundation';
import type { BaseHot, Flavour, VnfPackageModel } from '@windlass/vnf-package';
import { expect, it } from 'vitest';
import type { LcmOperation } from '../records/records.js';
import { instanceRecord, packageRecord } from '../testing/records.js';
import { OPERATIONS } from './operations.js';
import { unreadParams, type ParamsSubject } from './unread-params.js';

const baseHot = {
  top: { path: 'top.yaml', text: '{ get_param: [ nfv, VDU, VDU1, flavor ] }' },
  files: {},
  parameters: [{ name: 'floating_network', type: 'string', hasDefault: true }],
  nfvReferences: [{ section: 'VDU', name: 'VDU1', attribute: 'flavor', path: [], resource: 'VDU1' }],
} as unknown as BaseHot;
const record = {
  ...packageRecord('p'),
  model: { flavours: [{ id: 'default', baseHot } as Flavour] } as unknown as VnfPackageModel,
};

const unread = (operation: LcmOperation, additionalParams: JsonObject, more: Partial<ParamsSubject> = {}): string[] =>
  unreadParams({
    definition: OPERATIONS.of(operation),
    request: { additionalParams },
    instance: instanceRecord({ id: 'i', vnfPkgId: 'p' }),
    package: record,
    flavourId: 'default',
    drivers: [],
    ...more,
  });

it('a misspelt parameter of a template that has a default is told, with the one that is meant', () => {
  expect(unread('INSTANTIATE', { floating_networks: 'public' })).toEqual([
    expect.stringMatching(/^\/additionalParams\/floating_networks is not used: .* did you mean floating_network\?$/),
  ]);
  expect(unread('INSTANTIATE', { floating_network: 'public' })).toEqual([]);
});

it('what of nfv no template asks for is told, also where a driver is bound', () => {
  const nfv = { VDU: { VDU1: { flavour: 'm1.big' } } };
  const sentence =
    '/additionalParams/nfv/VDU/VDU1/flavour is not used: no template asks for it; did you mean nfv.VDU.VDU1.flavor?';
  expect(unread('INSTANTIATE', { nfv })).toEqual([sentence]);
  expect(unread('INSTANTIATE', { nfv }, { drivers: ['mine'] })).toEqual([sentence]);
  expect(unread('INSTANTIATE', { nfv: { VDU: { VDU1: { flavor: 'm1.big' } } } })).toEqual([]);
});

it.each(['SCALE', 'TERMINATE', 'OPERATE', 'HEAL', 'CHANGE_EXT_CONN'] as const)(
  'of a VNF without drivers a %s tells of each parameter, and a driver knows its own',
  (operation) => {
    expect(unread(operation, { wait_for: 5 })).toEqual([expect.stringContaining('/additionalParams/wait_for is not used')]);
    expect(unread(operation, { wait_for: 5 }, { drivers: ['mine'] })).toEqual([]);
  },
);

it('what Windlass reads itself is not told', () => {
  expect(unread('SCALE', { leaving_vnfcs: ['a'] })).toEqual([]);
  expect(unread('HEAL', { all: true })).toEqual([]);
});

it('a script is told all parameters', () => {
  const script = { 'lcm-operation-user-data': './UserData/a.py', 'lcm-operation-user-data-class': 'A' };
  expect(unread('INSTANTIATE', { ...script, anything: 1, nfv: { x: 1 } })).toEqual([]);
});

it.each(['{ get_param: nfv }', '{ get_param: [ nfv, VDU ] }', '{get_param: [nfv,VDU,VDU1]}'])(
  'nothing is said of nfv where a template hands on more of it than one value: %s',
  (text) => {
    const handing = { ...baseHot, top: { path: 'top.yaml', text } };
    const model = { flavours: [{ id: 'default', baseHot: handing } as Flavour] } as unknown as VnfPackageModel;
    expect(unread('INSTANTIATE', { nfv: { VDU: { VDU1: { other: 1 } } } }, { package: { ...record, model } })).toEqual([]);
  },
);

it('a stranger’s long names and thousands of them make no long sentences, and cost little', () => {
  const params = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`${'x'.repeat(900)}${n}`, 1]));
  const started = process.cpuUsage();
  const sentences = unread('INSTANTIATE', { ...params, nfv: { VDU: { VDU1: params } } });
  expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
  expect(sentences).toHaveLength(42);
  expect(sentences[20]).toBe('and 39980 more additionalParams that are not used');
  expect(sentences.every((sentence) => sentence.length < 400)).toBe(true);
});
