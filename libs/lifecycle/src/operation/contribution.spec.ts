import type { Json } from '@windlass/foundation';
import { clusterConnectionId, clusterVimId } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { contributionOf, notesOf } from './contribution.js';

const INSTANCE = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';
const OTHER = '4f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';
const entry = {
  id: clusterConnectionId(INSTANCE),
  vimId: clusterVimId(INSTANCE),
  vimType: 'kubernetes',
  accessInfo: { authUrl: 'https://10.0.0.1:6443' },
  extra: {},
};
const of = (vimConnectionInfo: Json): Json => ({ instance: { vimConnectionInfo } });
const taken = (output: Json | undefined) => contributionOf(output, INSTANCE, 'step "hook/x" of the driver d');

describe('what a step contributes to its instance', () => {
  it.each<Json | undefined>([undefined, null, 'text', {}, { account: 'x' }, { instance: {} }])('is nothing in %j', (output) => {
    expect(taken(output)?.vimConnectionInfo).toBeUndefined();
  });

  it('is the entry of the instance’s own cluster, or its end', () => {
    expect(taken(of({ add: [entry] }))).toEqual({ vimConnectionInfo: { add: [entry] } });
    expect(taken(of({ removeVimIds: [entry.vimId] }))).toEqual({ vimConnectionInfo: { removeVimIds: [entry.vimId] } });
  });

  it('is when the certificates of its cluster end, and none where there are none', () => {
    const certificates = [{ master: '10.0.0.1', name: 'apiserver.crt', endsAt: 1_795_000_000 }];
    for (const some of [certificates, []]) expect(taken({ instance: { certificates: some } })).toEqual({ certificates: some });
  });

  it.each<[string, Json, string]>([
    [
      'a certificate of no time',
      { instance: { certificates: [{ master: 'a', name: 'b', endsAt: 'soon' }] } },
      '/endsAt is a string',
    ],
    [
      'a certificate with more to it',
      { instance: { certificates: [{ master: 'a', name: 'b', endsAt: 1, key: '' }] } },
      '/key is a member',
    ],
    [
      'more certificates than any control plane has',
      { instance: { certificates: Array.from({ length: 301 }, () => ({ master: 'a', name: 'b', endsAt: 1 })) } },
      'at most 300',
    ],
    ['another entry', of({ add: [{ ...entry, id: 'vim1' }] }), 'adds the entry "vim1"'],
    ['another instance’s entry', of({ add: [{ ...entry, id: clusterConnectionId(OTHER) }] }), 'adds the entry'],
    ['another VIM', of({ add: [{ ...entry, vimId: clusterVimId(OTHER) }] }), 'adds the VIM'],
    ['another kind of VIM', of({ add: [{ ...entry, vimType: 'openstack' }] }), 'of the type "openstack"'],
    ['two entries', of({ add: [entry, entry] }), '/add has a length of 2, at most 1'],
    ['the end of another VIM', of({ removeVimIds: [clusterVimId(OTHER)] }), 'removes the VIM'],
    ['the end of no VIM', of({ removeVimIds: [null] }), '/removeVimIds/0 is null'],
    ['a member that nobody knows', of({ set: [] }), '/set is a member that is not taken'],
    ['something else of the instance', { instance: { version: 7 } }, '/instance/version is a member that is not taken'],
    ['what is no object', { instance: [] }, '/instance is an array'],
    ['a value that is no text', of({ add: [{ ...entry, extra: { a: {} } }] }), '/extra/a is an object'],
    [
      'too much',
      of({ add: [{ ...entry, extra: Object.fromEntries('abcde'.split('').map((key) => [key, 'x'.repeat(16_000)])) }] }),
      'bytes',
    ],
  ])('is refused where it is %s, with the step and its driver', (_what, output, words) => {
    expect(() => taken(output)).toThrow(expect.objectContaining({ code: 'contribution.refused', name: 'TerminalError' }));
    expect(() => taken(output)).toThrow(words);
    expect(() => taken(output)).toThrow('step "hook/x" of the driver d');
  });
});

describe('what a step tells of its work', () => {
  const told = (output: Json | undefined) => notesOf(output, 'step "hook/x" of the driver d');

  it.each<Json | undefined>([undefined, null, 'text', {}, { nodes: ['a'] }, { notes: [] }])('is nothing in %j', (output) => {
    expect(told(output)).toEqual([]);
  });

  it('is lines for the operation’s warnings', () => {
    expect(told({ notes: ['no pod has tried the cluster'] })).toEqual(['no pod has tried the cluster']);
  });

  it.each<[string, Json, string]>([
    ['no list', 'text', '/notes is a string'],
    ['a line that is none', [7], '/notes/0 is'],
    ['too long a line', ['x'.repeat(1_001)], '/notes/0 has a length of 1001'],
    ['too many lines', Array.from({ length: 11 }, () => 'x'), '/notes has a length of 11'],
  ])('is refused where it is %s, with the step and its driver', (_what, notes, words) => {
    expect(() => told({ notes })).toThrow(expect.objectContaining({ code: 'contribution.refused', name: 'TerminalError' }));
    expect(() => told({ notes })).toThrow(words);
    expect(() => told({ notes })).toThrow('step "hook/x" of the driver d');
  });
});
