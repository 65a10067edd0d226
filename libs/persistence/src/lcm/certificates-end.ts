import { rowsOf } from '../database.js';
import { managerOf } from './handle.js';

/** When the first certificate of an instance's cluster ends. */
export interface CertificatesEnd {
  vnfInstanceId: string;
  /** Seconds since 1970. */
  endsAt: number;
}

/** Of the instances of all projects, as they were last looked at. @param limit so many, those that end first */
export function certificatesEnds(handle: unknown, limit: number): Promise<CertificatesEnd[]> {
  const earliest = `(instantiated->'certificates'->>'earliestEnd')::bigint`;
  return rowsOf<CertificatesEnd>(
    managerOf(handle),
    `SELECT id AS "vnfInstanceId", (${earliest})::float8 AS "endsAt" FROM lcm.vnf_instance WHERE ${earliest} IS NOT NULL
     ORDER BY ${earliest}, id LIMIT $1`,
    [limit],
  );
}
