import type { Grant, GrantRequest } from '@windlass/sol003';
import { expect, it } from 'vitest';
import { assetsOf } from '../../records/granted-assets.js';

const server = (id: string, vduId: string) => ({ id, type: 'COMPUTE', vduId, resourceTemplateId: vduId });

/** Asked for a server of each VDU, and granted a zone for each: `worker:a worker:b`. */
function granted(text: string) {
  const pairs = text.split(' ').map((pair) => pair.split(':') as [string, string]);
  const request = { addResources: pairs.map(([vdu], n) => server(String(n), vdu)) } as unknown as GrantRequest;
  const grant = {
    zones: [...new Set(pairs.map(([, zone]) => zone))].map((zone) => ({ id: `id-${zone}`, zoneId: zone })),
    addResources: pairs.map(([, zone], n) => ({ resourceDefinitionId: String(n), zoneId: `id-${zone}` })),
  } as unknown as Grant;
  return assetsOf(request, grant);
}

it('each VDU has its zone, by which its servers are made', () => {
  expect(granted('master:a worker:b worker:b').zones).toEqual({ master: 'a', worker: 'b' });
});

it('several zones for the servers of one VDU are refused before anything is made, with what to change in the package', () => {
  expect(() => granted('worker:a worker:b')).toThrow(
    expect.objectContaining({
      code: 'grant.unusable',
      status: 409,
      message: expect.stringMatching(
        /several zones for worker \(a, b\).*grant one zone, or give the package a VDU and a group of its own for each zone.*nfv\.VDU\.<name>\.locationConstraints/,
      ) as string,
    }) as Error,
  );
});
