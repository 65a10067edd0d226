import { describe, expect, it } from 'vitest';
import { messageKind } from './message-kinds.js';
import { kindOf, requestKinds } from './request-kinds.js';
import { requireAnswered } from './round.js';

const ID = 'c0ffee00-0000-4000-8000-000000000003';

describe('requests to a VIM', () => {
  it.each([
    [
      'GET',
      `/orchestration/v1/c0ffee00000040008000000000000001/stacks/vnf-1/${ID}?resolve_outputs=False`,
      'Heat GET stacks/{name}/{id}?resolve_outputs',
    ],
    ['POST', '/orchestration/v1/c0ffee00000040008000000000000001/stacks', 'Heat POST stacks'],
    ['PUT', `/image/v2/images/${ID}/file`, 'Glance PUT images/{id}/file'],
    ['GET', `/network/v2.0/ports?id=${ID}&id=${ID}&limit=3`, 'Neutron GET ports?id'],
    ['GET', `/compute/v2.1/servers/${ID}`, 'Nova GET servers/{id}'],
    ['POST', '/identity/v3/auth/tokens', 'Keystone POST auth/tokens'],
  ])('%s %s is of a kind that many share', (method, path, kind) => {
    expect(kindOf({ method, path })).toBe(kind);
  });

  it('are counted by operation, the most frequent first', () => {
    const request = (path: string) => ({ at: 0, service: '', method: 'GET', path, status: 200, took: 1 });
    const requests = [request('/image/v2/images'), ...Array.from({ length: 3 }, () => request(`/compute/v2.1/servers/${ID}`))];
    expect(Object.entries(requestKinds(requests, 2))).toEqual([
      ['Nova GET servers/{id}', 1.5],
      ['Glance GET images', 0.5],
    ]);
  });
});

describe('a request that the VIM did not know', () => {
  it('fails the bench, though the services can do without its answer', () => {
    const asked = (status: number) => [
      { at: 0, service: 'network', method: 'GET', path: '/network/v2.0/subnets', status, took: 1 },
    ];
    expect(() => requireAnswered(asked(501))).toThrow('did not know GET /network/v2.0/subnets');
    expect(() => requireAnswered(asked(404))).not.toThrow();
  });
});

describe('a NATS message', () => {
  it.each([
    [{ subject: 'windlass.step.infra-driver' }, 'windlass.step.infra-driver'],
    [{ subject: 'windlass.step.infra-driver', reply: '$JS.ACK.steps.infra.1.2.3.4.0' }, 'windlass.step.infra-driver (delivered)'],
    [{ subject: '$JS.API.CONSUMER.MSG.NEXT.steps.infra', reply: '_INBOX.a.b' }, 'pull'],
    [{ subject: '$JS.ACK.steps.infra.1.2.3.4.0' }, 'acknowledgement'],
    [{ subject: '_INBOX.Xy.3' }, 'reply'],
    [{ subject: '_INBOX_infra-driver.-ZVOkt.6' }, 'reply to infra-driver'],
    [{ subject: '_INBOX_saga-coordinator.mE2v.8L20.9Xky' }, 'reply to saga-coordinator'],
    [{ subject: `windlass.progress.${ID}` }, 'windlass.progress.*'],
  ])('%j is of its kind', (message, kind) => {
    expect(messageKind(message)).toBe(kind);
  });
});
