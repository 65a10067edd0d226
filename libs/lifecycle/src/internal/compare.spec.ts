import { describe, expect, it } from 'vitest';
import type { ListedObject } from '../records/cluster-objects.js';
import type { AuditVimOutput, ListedStack } from '../stack/infra-actions.js';
import type { SharedImage } from '../records/shared-image.js';
import { deploymentTag, imageTag, SHARED_IMAGE_TAG, vnfTag } from '../records/names.js';
import type { AuditView, ExpectedVnf } from '../records/audit-view.js';
import { compare, type Comparison } from './compare.js';

const OURS = deploymentTag('d1');
const at = '2026-01-01T00:00:00.000Z';

const stack = (vnf: string, more: Partial<ListedStack> = {}): ListedStack => ({
  name: `vnf-${vnf}`,
  id: `stack-${vnf}`,
  status: 'CREATE_COMPLETE',
  tags: ['windlass', vnfTag(vnf), OURS],
  resources: [],
  ...more,
});

const vnf = (id: string, more: Partial<ExpectedVnf> = {}): ExpectedVnf => ({
  vnfInstanceId: id,
  tenant: 't',
  instantiationState: 'INSTANTIATED',
  vim: { vimId: 'v1', connectionId: 'c' },
  stack: { name: `vnf-${id}`, id: `stack-${id}` },
  images: [],
  resources: [],
  leftover: false,
  ...more,
});

const look = (vnfs: ExpectedVnf[] = [], more: Partial<AuditView> = {}): AuditView => ({
  at,
  vnfs,
  sharedImages: [],
  busy: [],
  waiting: [],
  ...more,
});

const run = (listing: Partial<AuditVimOutput>, after: AuditView, more: Partial<Comparison> = {}) =>
  compare({
    tenant: 't',
    deploymentId: 'd1',
    vims: [{ id: 'v1', name: 'lab', vim: { choice: { vimId: 'v1', connectionId: 'v1' } } }],
    listings: [{ stacks: [], images: [], ...listing }],
    before: look(),
    after,
    ...more,
  });

const nothing = { orphans: [], missing: [], foreign: [], differences: [], unclaimed: [] };

describe('the comparison of database and VIM', () => {
  it('says nothing where both are the same', () => {
    expect(run({ stacks: [stack('a')] }, look([vnf('a')]))).toMatchObject(nothing);
  });

  it('knows an image of a leftover by the one in whose place it was made, for its step may have died before its report', () => {
    const images = [{ id: 'i2', name: 'i', tags: ['windlass', vnfTag('a'), OURS, imageTag('i1')] }];
    const left = vnf('a', { stack: null, images: ['i1'], leftover: true });
    expect(run({ images }, look([left]))).toMatchObject(nothing);
    expect(run({ images }, look([{ ...left, images: [] }])).orphans).toMatchObject([{ id: 'i2', vnfInstanceId: 'a' }]);
  });

  it('calls an orphan what carries our tag and has no instance', () => {
    expect(run({ stacks: [stack('a')] }, look()).orphans).toMatchObject([{ id: 'stack-a', vnfInstanceId: 'a' }]);
  });

  it('calls no orphan what does not carry the tag of this deployment', () => {
    const foreign = [
      ['windlass', vnfTag('a')],
      ['windlass', vnfTag('b'), deploymentTag('d2')],
    ];
    const report = run({ stacks: foreign.map((tags, index) => stack(String(index), { tags })) }, look());
    expect(report.orphans).toEqual([]);
    expect(report.unclaimed).toHaveLength(2);
  });

  it('calls an orphan a second stack of an instance that has another one', () => {
    const report = run({ stacks: [stack('a'), stack('a', { id: 'older' })] }, look([vnf('a')]));
    expect(report.orphans).toMatchObject([{ id: 'older' }]);
  });

  it.each([
    ['before', { before: look([], { busy: ['a'] }) }, look()],
    ['after', {}, look([], { busy: ['a'] })],
  ] as const)('says nothing of what an operation works on, seen %s the listing', (_when, more, after) => {
    expect(run({ stacks: [stack('a')], images: [{ id: 'i', name: 'i', tags: stack('a').tags }] }, after, more)).toMatchObject({
      ...nothing,
      busy: ['a'],
    });
  });

  describe('of an image that instances share', () => {
    const image: SharedImage = {
      ...{ id: 's1', tenant: 't', name: 'ours', state: 'SHARED', instances: ['a', 'b'] },
      vim: { vimId: 'v1', connectionId: 'c' },
    };
    const listed = (id: string, of: string, deployment = OURS) => ({
      ...{ id, name: 'ours' },
      tags: ['windlass', SHARED_IMAGE_TAG, imageTag(of), deployment],
    });
    const stacks = [stack('a'), stack('b')];
    const both = (more: Partial<AuditView>) => look([vnf('a'), vnf('b')], more);

    it('says nothing of one on the record, under its own id, made in its place, or being deleted', () => {
      const images = [listed('s1', 's1'), listed('s9', 's1')];
      expect(run({ stacks, images }, both({ sharedImages: [image] }))).toMatchObject(nothing);
      const deleting: SharedImage = { ...image, state: 'DELETING', instances: [] };
      expect(run({ stacks, images }, both({ sharedImages: [deleting] }))).toMatchObject(nothing);
      expect(run({ stacks }, both({ sharedImages: [deleting] }))).toMatchObject(nothing);
    });

    it('calls one an orphan that is not on the record, and lets be that of another deployment', () => {
      const images = [listed('s1', 's1'), listed('s2', 's2', deploymentTag('d2'))];
      const { orphans, unclaimed } = run({ stacks, images }, both({}));
      expect(orphans).toMatchObject([{ id: 's1', type: 'image' }]);
      expect(orphans[0]).not.toHaveProperty('vnfInstanceId');
      expect(unclaimed).toMatchObject([{ id: 's2' }]);
    });

    it('tells one that instances refer to and the VIM has not, unless one of them is being worked on, or it is another tenant’s', () => {
      const missing = (of: SharedImage, busy: string[] = []) => run({ stacks }, both({ sharedImages: [of], busy })).missing;
      expect(missing(image)).toMatchObject([{ id: 's1', type: 'image', vnfInstanceId: 'a' }]);
      expect(missing(image, ['b'])).toEqual([]);
      expect(missing({ ...image, tenant: 'u' })).toEqual([]);
      expect(missing({ ...image, vim: { vimId: 'v2', connectionId: 'c' } })).toEqual([]);
    });
  });

  it('tells a stack, an image and a server that an instance has and the VIM has not', () => {
    const server = { type: 'server' as const, id: 's1', name: 'VDU1' };
    const report = run({ stacks: [stack('b')] }, look([vnf('a', { images: ['i'] }), vnf('b', { resources: [server] })]));
    expect(report.missing.map(({ type, id }) => `${type} ${id}`)).toEqual(['stack stack-a', 'image i', 'server s1']);
  });

  it('misses nothing of leftovers: they may never have been made', () => {
    expect(run({}, look([vnf('a', { leftover: true, instantiationState: 'NOT_INSTANTIATED' })]))).toMatchObject(nothing);
  });

  it('misses nothing in a VIM that could not be looked at', () => {
    expect(run({ failure: { code: 'x', detail: 'away' } }, look([vnf('a')]))).toMatchObject({
      ...nothing,
      vims: [{ failure: 'away' }],
    });
  });

  it('tells what is in a stack and not on record, and what others have put into it, apart', () => {
    const resources = [
      { type: 'server', id: 's', name: 'VDU1', state: 'there' },
      { type: 'port', id: 'p', name: 'theirs', state: 'foreign' },
      { type: 'volume', id: 'v', name: 'V', state: 'gone' },
    ] as const;
    const report = run({ stacks: [stack('a', { resources: [...resources] })] }, look([vnf('a')]));
    expect([report.differences, report.foreign, report.missing].map(([one]) => one?.id)).toEqual(['s', 'p', 'v']);
  });

  it('tells a thing once where two registered VIMs are the same project', () => {
    const choice = (id: string) => ({ id, name: id, vim: { choice: { vimId: id, connectionId: id } } });
    const listing = { stacks: [stack('a')], images: [] };
    const report = run({}, look(), { vims: [choice('v1'), choice('v2')], listings: [listing, listing] });
    expect(report.orphans).toHaveLength(1);
  });

  describe('of objects on a cluster', () => {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
    const config = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'pages' };
    const listed = (more: Partial<ListedObject> = {}): ListedObject => ({
      ref,
      uid: 'uid-web',
      vnfInstanceId: 'a',
      deploymentTag: OURS,
      applied: true,
      replicas: 1,
      ...more,
    });
    const cnf = (id: string, more: Partial<ExpectedVnf> = {}): ExpectedVnf =>
      vnf(id, {
        stack: null,
        vim: { vimId: 'v1', connectionId: 'c', kind: 'kubernetes' },
        objects: [{ ...ref, pods: 1 }],
        ...more,
      });

    it('says nothing where both are the same, or an operation works on the instance', () => {
      expect(run({ objects: [listed()] }, look([cnf('a')]))).toMatchObject(nothing);
      expect(run({ objects: [listed({ ref: config })] }, look([cnf('a')], { busy: ['a'] }))).toMatchObject(nothing);
    });

    it('tells what is missing, of another size, and not on record', () => {
      const report = run({ objects: [listed({ replicas: 3 }), listed({ ref: config, uid: 'uid-c' })] }, look([cnf('a')]));
      expect(report).toMatchObject({
        ...nothing,
        differences: [{ name: 'Deployment default/web' }, { name: 'ConfigMap default/pages' }],
      });
      expect(report.differences[0]?.detail).toBe("it wants 3 pods, the instance's record has 1");
      expect(run({ objects: [] }, look([cnf('a')])).missing).toEqual([
        expect.objectContaining({ type: 'object', name: 'Deployment default/web', vnfInstanceId: 'a' }),
      ]);
    });

    it('calls an orphan only what carries both labels and was applied by Windlass, and whose instance has nothing', () => {
      const gone = look([cnf('a', { objects: [ref] })]);
      const of = (more: Partial<ListedObject>) =>
        run({ objects: [listed(), listed({ vnfInstanceId: 'b', uid: 'uid-b', ...more })] }, gone);
      expect(of({}).orphans).toMatchObject([{ type: 'object', id: 'uid-b', ref, vnfInstanceId: 'b' }]);
      expect(of({ deploymentTag: 'another' })).toMatchObject({ orphans: [], unclaimed: [{ id: 'uid-b' }] });
      expect(of({ applied: false })).toMatchObject({ orphans: [], unclaimed: [{ id: 'uid-b' }] });
    });

    it('says nothing of another project’s', () => {
      expect(
        run({ objects: [listed(), listed({ ref: config, uid: 'x' })] }, look([cnf('a', { tenant: 'other' })])),
      ).toMatchObject(nothing);
    });
  });
});
