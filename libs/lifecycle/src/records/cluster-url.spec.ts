import { clusterVimId } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { clusterUrlOf } from './cluster-url.js';

const id = '4c096091-502e-43f9-a13b-e6b54aa901df';
const connection = (vimId: string, accessInfo?: { authUrl: string }) => ({ id: vimId, vimId, vimType: 'kubernetes', accessInfo });

describe('where an instance is registered as a cluster', () => {
  it('is told of its own, not of the VIMs that it runs on', () => {
    const own = connection(clusterVimId(id), { authUrl: 'https://203.0.113.9:8383' });
    const other = connection('another', { authUrl: 'https://198.51.100.1:5000' });
    expect(clusterUrlOf({ id, vimConnectionInfo: [other, own] as never })).toEqual({ clusterUrl: 'https://203.0.113.9:8383' });
    expect(clusterUrlOf({ id, vimConnectionInfo: [other] as never })).toEqual({});
  });

  it('is nowhere where the entry has no address, or one that the contract does not take', () => {
    const long = connection(clusterVimId(id), { authUrl: `https://${'a'.repeat(1_100)}` });
    expect(clusterUrlOf({ id, vimConnectionInfo: [long] as never })).toEqual({});
    expect(clusterUrlOf({ id, vimConnectionInfo: [connection(clusterVimId(id))] as never })).toEqual({});
  });
});
