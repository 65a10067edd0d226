import { beginRefresh } from '../../shared-steps/clean-up/after-failure.js';
import type { FailedOperation } from '../../operation/operation-definition.js';
import { publish } from '../../operation/publish.js';

/** Records a scaling that was marked as failed: the instance shows what was last read of the stack. The refresh finds later changes. */
export async function leaveScaled(failed: FailedOperation): Promise<void> {
  const { store, tx, opOcc } = failed;
  const { instantiated } = opOcc.draft;
  if (instantiated !== undefined)
    await publish(tx, store, opOcc, { ...(await store.instance(tx.handle, opOcc.vnfInstanceId)), instantiated });
  await beginRefresh(failed);
}
