import type { SharedImage, VimChoice, WantedImage } from '@windlass/lifecycle';
import type { EntityManager } from 'typeorm';
import { rowsOf } from '../database.js';

/**
 * The instance's references, entered where they are not there. Whoever drops the last one of an image has its row locked until it is committed as being
 * deleted: it is not found any more then, and another is entered. All take the rows in the order of their keys.
 */
export async function referToImages(
  manager: EntityManager,
  { tenant, vnfInstanceId, vim }: { tenant: string; vnfInstanceId: string; vim: VimChoice },
  wanted: readonly WantedImage[],
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const image of wanted.toSorted((one, other) => (one.key < other.key ? -1 : 1))) {
    const id = await lockedImage(manager, { tenant, vim, ...image });
    ids[image.key] = id;
    await manager.query(
      'INSERT INTO lcm.image_reference (vnf_instance_id, shared_image_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [vnfInstanceId, id],
    );
  }
  return ids;
}

/**
 * Somebody may enter it, or have it deleted, between a look and the next: one of the two statements gets it. The lock is shared with others who refer to it: instances
 * that begin together don't wait for each other's commits. Since when nobody has used it (`unused_since`) stays as it is, as two would wait for each other to change
 * it: the sweep sees that it is used.
 */
async function lockedImage(
  manager: EntityManager,
  { key, id, name, tenant, vim }: WantedImage & { tenant: string; vim: VimChoice },
): Promise<string> {
  for (;;) {
    const [found] = await rowsOf<{ id: string }>(
      manager,
      "SELECT id FROM lcm.shared_image WHERE share_key = $1 AND state = 'SHARED' FOR SHARE",
      [key],
    );
    if (found !== undefined) return found.id;
    const [entered] = await rowsOf<{ id: string }>(
      manager,
      `INSERT INTO lcm.shared_image (id, tenant, share_key, name, vim, untouched) VALUES ($1, $2, $3, $4, $5, true)
       ON CONFLICT (share_key) WHERE state = 'SHARED' DO NOTHING RETURNING id`,
      [id, tenant, key, name, JSON.stringify(vim)],
    );
    if (entered !== undefined) return entered.id;
  }
}

/**
 * @param untouched the instance's operation has not worked on its images in the VIM. Where nobody who referred to an image has, it is taken off the record: there is
 * nothing to delete, in a VIM that perhaps nobody reaches.
 * @param kept whether an image that nobody refers to now stays for a time; one in a VIM that only a request describes does not, since nobody could delete it then
 * @returns those that nobody refers to now, which are being deleted from here on
 */
export async function dropImageReferences(
  manager: EntityManager,
  vnfInstanceId: string,
  { untouched = false, kept = false } = {},
): Promise<string[]> {
  const referred = await rowsOf<{ id: string; untouched: boolean }>(
    manager,
    `SELECT i.id, i.untouched FROM lcm.image_reference AS r JOIN lcm.shared_image AS i ON i.id = r.shared_image_id
     WHERE r.vnf_instance_id = $1 ORDER BY i.share_key FOR UPDATE OF i`,
    [vnfInstanceId],
  );
  if (referred.length === 0) return [];
  await manager.query('DELETE FROM lcm.image_reference WHERE vnf_instance_id = $1', [vnfInstanceId]);
  const ofNobody = referred.flatMap((image) => (image.untouched ? [image.id] : []));
  if (ofNobody.length > 0)
    await manager.query(
      untouched ? FORGET_UNTOUCHED : 'UPDATE lcm.shared_image SET untouched = false WHERE id = ANY($1::uuid[])',
      [ofNobody],
    );
  const deleting = await rowsOf<{ id: string }>(
    manager,
    `WITH unused AS (UPDATE lcm.shared_image AS i
       SET state = CASE WHEN $2 AND i.vim ? 'vimId' THEN 'SHARED' ELSE 'DELETING' END,
         unused_since = CASE WHEN $2 AND i.vim ? 'vimId' THEN clock_timestamp() END
       WHERE i.id = ANY($1::uuid[]) AND i.state = 'SHARED'
       AND NOT EXISTS (SELECT FROM lcm.image_reference AS r WHERE r.shared_image_id = i.id) RETURNING i.id, i.state)
     SELECT id FROM unused WHERE state = 'DELETING' ORDER BY id`,
    [referred.map(({ id }) => id), kept],
  );
  return deleting.map(({ id }) => id);
}

/**
 * Images that nobody has referred to for so long: they are being deleted from here on. Their rows are locked before it is looked who refers to them: whoever comes
 * meanwhile waits, and enters another.
 * @param keptFor milliseconds
 */
export async function expireImages(manager: EntityManager, keptFor: number, limit: number): Promise<StrayImage[]> {
  const old = await rowsOf<{ id: string }>(
    manager,
    `SELECT id FROM lcm.shared_image WHERE state = 'SHARED' AND unused_since <= statement_timestamp() - make_interval(secs => $1)
     ORDER BY unused_since FOR UPDATE SKIP LOCKED LIMIT $2`,
    [keptFor / 1_000, limit],
  );
  if (old.length === 0) return [];
  return rowsOf<StrayImage>(
    manager,
    `WITH unused AS (UPDATE lcm.shared_image AS i SET state = 'DELETING', unused_since = NULL WHERE i.id = ANY($1::uuid[])
       AND NOT EXISTS (SELECT FROM lcm.image_reference AS r WHERE r.shared_image_id = i.id) RETURNING i.id, i.tenant, i.vim),
     used AS (UPDATE lcm.shared_image AS i SET unused_since = NULL WHERE i.id = ANY($1::uuid[])
       AND EXISTS (SELECT FROM lcm.image_reference AS r WHERE r.shared_image_id = i.id))
     SELECT id, tenant, vim FROM unused ORDER BY id`,
    [old.map(({ id }) => id)],
  );
}

/** Images that are nowhere, and to which nobody refers any more. */
const FORGET_UNTOUCHED = `DELETE FROM lcm.shared_image AS i WHERE i.id = ANY($1::uuid[]) AND i.state = 'SHARED'
  AND NOT EXISTS (SELECT FROM lcm.image_reference AS r WHERE r.shared_image_id = i.id)`;

export async function forgetSharedImages(manager: EntityManager, ids: readonly string[]): Promise<void> {
  await manager.query("DELETE FROM lcm.shared_image WHERE id = ANY($1::uuid[]) AND state = 'DELETING'", [ids]);
}

/** All of them, with who refers to them, for audits. */
export async function readSharedImages(manager: EntityManager): Promise<SharedImage[]> {
  return rowsOf<SharedImage>(
    manager,
    `SELECT i.id, i.tenant, i.name, i.vim, i.state,
       coalesce(array_agg(r.vnf_instance_id::text ORDER BY r.vnf_instance_id) FILTER (WHERE r.vnf_instance_id IS NOT NULL), '{}') AS instances
     FROM lcm.shared_image AS i LEFT JOIN lcm.image_reference AS r ON r.shared_image_id = i.id GROUP BY i.id ORDER BY i.id`,
  );
}

/** A shared image that is to be deleted, and of which no clean-up speaks. */
export type StrayImage = Pick<SharedImage, 'id' | 'tenant' | 'vim'>;

/**
 * Instances that refer to images although nothing of them is there, and nothing works on them.
 * @param only of this instance alone
 */
export async function strayReferrers(manager: EntityManager, limit: number, only?: string): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    manager,
    `SELECT DISTINCT r.vnf_instance_id AS id FROM lcm.image_reference AS r
     WHERE ($2::uuid IS NULL OR r.vnf_instance_id = $2)
       AND NOT EXISTS (SELECT FROM lcm.vnf_instance AS v WHERE v.id = r.vnf_instance_id
         AND (v.instantiation_state = 'INSTANTIATED' OR v.leftovers IS NOT NULL))
       AND NOT EXISTS (SELECT FROM lcm.vnf_lcm_op_occ AS o WHERE o.vnf_instance_id = r.vnf_instance_id
         AND o.operation_state NOT IN ('COMPLETED', 'FAILED', 'ROLLED_BACK'))
       AND NOT EXISTS (SELECT FROM lcm.internal_operation AS i WHERE i.vnf_instance_id = r.vnf_instance_id AND i.state = 'PENDING')
     ORDER BY id LIMIT $1`,
    [limit, only ?? null],
  );
  return rows.map(({ id }) => id);
}

/** Those that are being deleted while no clean-up of their tenant is pending that could be about them. */
export async function unusedImages(manager: EntityManager, limit: number): Promise<StrayImage[]> {
  return rowsOf<StrayImage>(
    manager,
    `SELECT s.id, s.tenant, s.vim FROM lcm.shared_image AS s WHERE s.state = 'DELETING'
       AND NOT EXISTS (SELECT FROM lcm.internal_operation AS i JOIN lcm.operation AS o ON o.id = i.id
         WHERE i.state = 'PENDING' AND i.vnf_instance_id IS NULL AND o.kind = 'CLEAN_UP' AND o.tenant = s.tenant)
     ORDER BY s.id FOR UPDATE OF s SKIP LOCKED LIMIT $1`,
    [limit],
  );
}
