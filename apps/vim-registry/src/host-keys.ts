import { rowsOf } from '@windlass/persistence';
import type { DataSource } from 'typeorm';

/** Host keys pinned on first sight, by the machine's id at the VIM: a replaced server is a new pin. */
export class HostKeys {
  constructor(private readonly database: DataSource) {}

  async find(resourceId: string): Promise<string | undefined> {
    const [row] = await rowsOf<{ key: string }>(this.database.manager, 'SELECT key FROM lcm.host_key WHERE resource_id = $1', [
      resourceId,
    ]);
    return row?.key;
  }

  /** @returns the key that is pinned now */
  async pin(resourceId: string, key: string): Promise<string> {
    await this.database.query(
      'INSERT INTO lcm.host_key (resource_id, key) VALUES ($1, $2) ON CONFLICT (resource_id) DO NOTHING',
      [resourceId, key],
    );
    return (await this.find(resourceId)) ?? key;
  }
}
