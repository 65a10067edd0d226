import type { HookContext } from '@windlass/mgmt-driver';
import { parallel, serial, type PlanNode } from '@windlass/saga';
import type { Healing } from './healing.js';
import { scriptOf } from './instantiate.js';
import { balancer } from './steps/balanced.js';
import { outOfEtcd, quorum } from './steps/leaving-masters.js';
import { scriptBalancer } from './steps/packaged-balancer.js';

/** What leaves with a master, beside what leaves with every node. */
export interface MastersLeave {
  /** Whether etcd can do without them; before anything is drained. */
  allowed: PlanNode[];
  /** Out of the load balancer and out of etcd, once they are drained and before their node objects go. */
  gone: PlanNode[];
}

/** Masters that leave others: no member of etcd and no server of the load balancer may be left that is gone. */
export function mastersLeave({ steps, masters, survivors }: Healing, hook: HookContext): MastersLeave {
  const packaged = scriptOf(hook).kind === 'packaged';
  const balanced = packaged ? scriptBalancer(steps, { unlisted: masters }) : balancer(steps, survivors);
  return {
    allowed: quorum(steps, masters, survivors, { replaced: true }),
    gone: [
      ...(masters.length === 0
        ? []
        : [parallel(survivors.flatMap((node) => balanced.changed(node, survivors, { undoable: true })))]),
      parallel(masters.flatMap((master) => balanced.left(master, survivors))),
      serial(masters.map((master) => outOfEtcd(steps, master, survivors))),
    ],
  };
}

/** Those that came in their place are listed at the load balancer, once they have joined as every node does. */
export function mastersListed({ steps, masters, survivors, shape }: Healing, hook: HookContext): PlanNode[] {
  if (masters.length === 0) return [];
  const packaged = scriptOf(hook).kind === 'packaged';
  const balanced = packaged ? scriptBalancer(steps, { listed: masters }) : balancer(steps, shape.masters);
  return [
    parallel(survivors.flatMap((node) => balanced.changed(node, survivors, { undoable: false }))),
    ...survivors.slice(0, 1).flatMap((node) => balanced.verified(node, shape.masters)),
  ];
}
