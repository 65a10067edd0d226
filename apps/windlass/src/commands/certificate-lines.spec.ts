import { describe, expect, it } from 'vitest';
import { certificateLines, certificatesIn } from './certificate-lines.js';

const NOW = new Date('2026-11-26T12:00:00Z');

const view = (certificates: { master: string; name: string; endsAt: string }[]) => ({
  instantiatedVnfInfo: {
    metadata: { stack_id: 'x', windlassCertificates: { lookedAt: '2026-11-01T10:00:00.123Z', certificates } },
  },
});

describe('./windlass vnf certificates', () => {
  it('has a line for each, the first to end at the top, with the whole days that are left, and says when was looked', () => {
    const shown = certificatesIn(
      view([
        { master: '10.10.0.24', name: 'apiserver.crt', endsAt: '2027-11-26T12:00:00.000Z' },
        { master: '10.10.0.25', name: 'etcd/server.crt', endsAt: '2026-11-28T11:00:00.000Z' },
        { master: '10.10.0.25', name: 'admin.conf', endsAt: '2026-11-26T11:59:59.000Z' },
      ]),
    );
    expect(certificateLines(shown, NOW)).toEqual([
      'ENDS                  LEFT      MASTER      CERTIFICATE',
      '2026-11-26T11:59:59Z  ended     10.10.0.25  admin.conf',
      '2026-11-28T11:00:00Z  1 day     10.10.0.25  etcd/server.crt',
      '2027-11-26T12:00:00Z  365 days  10.10.0.24  apiserver.crt',
      'looked at 2026-11-01T10:00:00Z',
    ]);
  });

  it.each([{}, { instantiatedVnfInfo: {} }, { instantiatedVnfInfo: { metadata: { stack_id: 'x' } } }])(
    'says of an instance that nobody has looked at (%j) that there is nothing to show, and when there will be',
    (instance) => {
      expect(certificateLines(certificatesIn(instance), NOW)).toEqual([expect.stringMatching(/^nobody has looked/)]);
    },
  );
});
