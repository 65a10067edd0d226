import type { PlanNode } from '@windlass/saga';
import { nodesOf } from '../cluster/request/nodes.js';
import type { Healing } from './healing.js';

/** PersistentVolumes go before their server; before anything else is touched it is seen that none is in use. */
export const volumesLeave = ({ storage, survivors }: Healing): PlanNode[] =>
  storage === undefined ? [] : [...storage.unbound(survivors), ...storage.removed(survivors)];

/** The server that came in place of the one before exports again what its volumes hold: `server`; then the cluster has its PersistentVolumes again. */
export const volumesCome = ({ storage, shape, survivors }: Healing): { server: PlanNode[]; volumes: PlanNode[] } => ({
  server: storage?.serverSetUp() ?? [],
  volumes: storage?.registered(survivors, nodesOf(shape)) ?? [],
});
