import type { JsonObject } from '@windlass/foundation';
import { certificatesEnds } from '@windlass/persistence';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../support/program.js';
import { registerVim, startSystem, type System } from '../support/system.js';
import { deployedCluster } from './support/deployed-cluster.js';

const END = '2027-11-26T12:00:00.000Z';
const CERTIFICATES = [{ master: '192.0.2.1', name: 'apiserver.crt', endsAt: Date.parse(END) / 1_000 }];

let system: System;
/** A VNF instance that has deployed a cluster, which nobody has looked at. */
let id: string;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  id = await deployedCluster(system, { url: 'https://192.0.2.1:6443', token: 'a-token', ca: 'a CA' });
});
afterAll(() => system.close());

/** As a step that looked has contributed it. */
const look = () =>
  system.database.query(
    `UPDATE lcm.vnf_instance SET version = version + 1, instantiated = jsonb_set(instantiated, '{certificates}', $2) WHERE id = $1`,
    [
      id,
      JSON.stringify({ lookedAt: '2026-11-26T12:00:00.000Z', earliestEnd: CERTIFICATES[0]!.endsAt, certificates: CERTIFICATES }),
    ],
  );

describe('when the certificates of a cluster end', () => {
  it('is said by the command line to be unknown where nobody has looked', async () => {
    expect((await program(system, 'vnf', 'certificates', id)).join('\n')).toMatch(/^nobody has looked at certificates/);
  });

  it('stands in the instance’s view of both versions, where ETSI’s schema leaves room, beside what stood there', async () => {
    const before = await system.api.get<{ instantiatedVnfInfo: { metadata: JsonObject } }>(`/vnflcm/v1/vnf_instances/${id}`);
    await look();
    for (const version of ['v1', 'v2']) {
      const { data } = await system.api.get<{ instantiatedVnfInfo: { metadata: JsonObject } }>(
        `/vnflcm/${version}/vnf_instances/${id}`,
        { headers: version === 'v2' ? { Version: '2.0.0' } : {} },
      );
      expect(data.instantiatedVnfInfo.metadata).toEqual({
        ...before.data.instantiatedVnfInfo.metadata,
        windlassCertificates: {
          lookedAt: '2026-11-26T12:00:00.000Z',
          certificates: [{ master: '192.0.2.1', name: 'apiserver.crt', endsAt: END }],
        },
      });
      if (version === 'v1') expect(schemaErrors('VnfInstance', data)).toEqual([]);
    }
  });

  it('is shown by the command line, a line each, and is what the metric is read from', async () => {
    await look();
    const lines = await program(system, 'vnf', 'certificates', id);
    expect(lines.join('\n')).toMatch(
      /^ENDS +LEFT +MASTER +CERTIFICATE\n2027-11-26T12:00:00Z +\d+ days? +192\.0\.2\.1 +apiserver\.crt\n/,
    );
    const [text = ''] = await program(system, 'vnf', 'certificates', id, '--json');
    expect(JSON.parse(text)).toMatchObject({ certificates: [{ endsAt: END }] });
    expect(await certificatesEnds(system.database.manager, 10)).toEqual([{ vnfInstanceId: id, endsAt: CERTIFICATES[0]!.endsAt }]);
  });
});
