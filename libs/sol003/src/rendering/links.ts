import type { Link } from '../types/common.js';
import type { VnfInstanceLinks } from '../types/vnf-instance.js';
import type { VnfLcmOpOccLinks } from '../types/op-occ.js';
import type { VnfPkgInfo, VnfPkgInfoLinks } from '../types/vnf-package.js';
import type { InstanceTask } from '../operations/operations.js';
import { tasksNow, type Standing, type TaskLimits } from '../operation-state/state-machine.js';

/** The absolute root of an API, without a slash at its end: `http://host:9890/vnflcm/v1`. */
export type ApiRoot = string;

const link = (url: string, task?: string): Link => ({ href: task === undefined ? url : `${url}/${task}` });

/** Where an instance is found; no slash at its end, as everywhere. */
export const vnfInstanceUrl = (root: ApiRoot, id: string): string => `${root}/vnf_instances/${id}`;
/** Where an operation occurrence is found (SOL003 5.4.13). */
export const opOccUrl = (root: ApiRoot, id: string): string => `${root}/vnf_lcm_op_occs/${id}`;
/** Where a subscription is found of an API that has them (SOL003 5.4.19). */
export const subscriptionUrl = (root: ApiRoot, id: string): string => `${root}/subscriptions/${id}`;
/** Where a package is found (SOL003 9.4.3, SOL005 9.4.3). */
export const vnfPackageUrl = (root: ApiRoot, id: string): string => `${root}/vnf_packages/${id}`;

/** Links of an instance: itself, and the tasks that it is offered for (SOL003 5.5.2.2). */
export function vnfInstanceLinks(root: ApiRoot, id: string, offered: readonly InstanceTask[] = []): VnfInstanceLinks {
  const self = vnfInstanceUrl(root, id);
  const links: VnfInstanceLinks = { self: link(self) };
  for (const { link: name, task } of offered) links[name] = link(self, task);
  return links;
}

/** Links of an operation occurrence: itself, its instance, and the tasks that would be accepted now (SOL003 5.5.2.13). */
export function opOccLinks(
  root: ApiRoot,
  occurrence: Standing & { readonly id: string; readonly vnfInstanceId: string },
  limits: TaskLimits = {},
): VnfLcmOpOccLinks {
  const self = opOccUrl(root, occurrence.id);
  const links: VnfLcmOpOccLinks = { self: link(self), vnfInstance: link(vnfInstanceUrl(root, occurrence.vnfInstanceId)) };
  for (const task of tasksNow(occurrence, limits)) links[task] = link(self, task);
  return links;
}

/** Links of a package; its VNFD can be read once it is ONBOARDED (SOL005 9.5.2.5). */
export function vnfPackageLinks(
  root: ApiRoot,
  { id, onboardingState }: Pick<VnfPkgInfo, 'id' | 'onboardingState'>,
): VnfPkgInfoLinks {
  const self = vnfPackageUrl(root, id);
  return {
    self: link(self),
    ...(onboardingState === 'ONBOARDED' ? { vnfd: link(self, 'vnfd') } : {}),
    packageContent: link(self, 'package_content'),
  };
}
