import type { RequestLookups } from '@windlass/lifecycle';
import { chooseVim, VimEntity, VnfPackageEntity, type PgLcmStore } from '@windlass/persistence';
import { isUuid } from '@windlass/sol003';
import type { EntityManager } from 'typeorm';
import type { ScriptRunners } from './script-runners.js';
import { refuseUsedCluster } from '../vims/cluster-checks.js';

/** What the checks of a request may look up, of one project, in PostgreSQL. */
export const requestLookups = (
  manager: EntityManager,
  store: PgLcmStore,
  tenant: string,
  scripts: ScriptRunners,
): RequestLookups => ({
  requireRunnable: (language) => scripts.require(language),
  chooseVim: (request) => chooseVim(manager, tenant, request),
  hasVim: async (id) => isUuid(id) && manager.existsBy(VimEntity, { id, tenant }),
  refuseUsedCluster: (vnfInstanceId) => refuseUsedCluster(manager, { tenant, vnfInstanceId }),
  package: async (named) => {
    const where = 'vnfPkgId' in named ? { id: named.vnfPkgId } : { vnfdId: named.vnfdId };
    const found = await manager.findOneBy(VnfPackageEntity, { tenant, onboardingState: 'ONBOARDED', ...where });
    if (found === null) return undefined;
    return { record: await store.package(manager, found.id), enabled: found.operationalState === 'ENABLED' };
  },
});
