import type { Grant } from '@windlass/sol003';
import { expect, it } from 'vitest';
import { unreadOf } from './take-grant.js';

const _links = { self: { href: 'http://n/g' }, vnfLcmOpOcc: { href: 'http://w/o' }, vnfInstance: { href: 'http://w/i' } };
const grant = (more: object): Grant => ({ id: 'g', vnfInstanceId: 'i', vnfLcmOpOccId: 'o', _links, ...more }) as Grant;

const NETWORKS = {
  extVirtualLinks: [{ id: 'l', resourceId: 'n', extCps: [] }],
  extManagedVirtualLinks: [{ id: 'm', vnfVirtualLinkDescId: 'v', resourceId: 'n' }],
};

it('what a new VNF takes of a grant is silent', () => {
  expect(unreadOf(grant({ ...NETWORKS, additionalParams: { nfv: {} } }), false)).toEqual([]);
});

it('other parameters than nfv, and members that nobody knows, are told', () => {
  expect(unreadOf(grant({ additionalParams: { 'a/b': 1 }, vimAsset: {} }), false)).toEqual([
    expect.stringMatching(/^\/vimAsset is no member of Grant and is not used: did you mean vimAssets\?$/),
    '/additionalParams/a~1b (nfv alone is read)',
  ]);
});

it('networks and parameters for a VNF that is there are told', () => {
  expect(unreadOf(grant({ ...NETWORKS, additionalParams: { nfv: {} } }), true).map((each) => each.split(' ')[0])).toEqual([
    '/additionalParams/nfv',
    '/extVirtualLinks',
    '/extManagedVirtualLinks',
  ]);
});

it('networks with ports on them that nobody makes are no grant', () => {
  const extManagedVirtualLinks = [{ ...NETWORKS.extManagedVirtualLinks[0], vnfLinkPort: [] }];
  expect(() => unreadOf(grant({ extManagedVirtualLinks }), false)).toThrow(
    expect.objectContaining({ code: 'grant.unusable' }) as Error,
  );
});
