import type { OpOccRecord } from '@windlass/lifecycle';
import { hiddenTexts } from '@windlass/sol003';
import type { DriverRegistry } from '../drivers/driver-registry.js';
import type { OpOccs } from '../op-occs/op-occs.js';

/** The secrets of an operation's request, which its steps' progress and errors may quote. */
export class QuotableSecrets {
  constructor(
    private readonly opOccs: OpOccs,
    private readonly drivers: DriverRegistry,
  ) {}

  async in({ request, draft }: OpOccRecord): Promise<readonly string[]> {
    return hiddenTexts(request, await this.drivers.secrets.of(draft.drivers));
  }

  /** @throws RequestError 404 */
  async of(tenant: string, operationId: string): Promise<readonly string[]> {
    return this.in(await this.opOccs.find(tenant, operationId));
  }
}
