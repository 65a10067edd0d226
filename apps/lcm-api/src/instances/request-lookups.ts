import { RequestError, isUuid, type JsonObject } from '@windlass/foundation';
import type { RequestLookups } from '@windlass/lifecycle';
import type { VimClient } from '@windlass/messaging';
import { chooseVim, VimEntity, VnfPackageEntity, type PgLcmStore } from '@windlass/persistence';
import { vimKind } from '@windlass/sol003';
import type { Csar } from '@windlass/vnf-package';
import type { EntityManager } from 'typeorm';
import type { OpenArchives } from '../packages/open-archives.js';
import type { ScriptRunners } from './script-runners.js';
import { refuseUsedCluster } from '../vims/cluster-checks.js';
import { registeredVimOf } from '../vims/registered-vim.js';

/** A text that is written by hand is smaller. */
const MOST_TEXT_BYTES = 1024 * 1024;

/** Of a script: undefined for one that is large, or that the package has not. */
const smallText = async (csar: Csar, path: string): Promise<string | undefined> =>
  csar.member(path).size > MOST_TEXT_BYTES ? undefined : (await csar.readMember(path, MOST_TEXT_BYTES)).toString('utf8');

/** Remembers the answer of a request, for which several checks ask. */
function once<T>(ask: (request: JsonObject) => Promise<T>): (request: JsonObject) => Promise<T> {
  const asked = new WeakMap<JsonObject, Promise<T>>();
  return (request) => {
    const answer = asked.get(request) ?? ask(request);
    asked.set(request, answer);
    return answer;
  };
}

/**
 * What the checks of a request may look up, of one project: in PostgreSQL, and of VIMs' access at the service that keeps it.
 * @param vims those that were read with the instance
 */
export const requestLookups = (
  manager: EntityManager,
  registry: Pick<VimClient, 'show'>,
  store: PgLcmStore,
  tenant: string,
  scripts: ScriptRunners,
  archives: OpenArchives,
  vims: readonly VimEntity[],
): RequestLookups => ({
  packagedText: async (vnfPkgId, path) => {
    const csar = await archives.of(vnfPkgId);
    const { size } = csar.member(path);
    if (size > MOST_TEXT_BYTES)
      throw new RequestError(
        400,
        'package.file-too-large',
        `${path} has ${size} bytes; of such a file ${MOST_TEXT_BYTES} are read`,
      );
    return (await csar.readMember(path, MOST_TEXT_BYTES)).toString('utf8');
  },
  requireRunnable: async (script, { id, model }) => {
    const modules = model.scriptModules?.[script.path] ?? [];
    await scripts.require(script, { tenant, modules, text: await smallText(await archives.of(id), script.path) });
  },
  chooseVim: once((request) => chooseVim(manager, tenant, request, vims)),
  vimKindOf: async (id) => (isUuid(id) ? vimKind((await manager.findOneBy(VimEntity, { id, tenant }))?.type ?? '') : undefined),
  registeredVim: async (id) => registeredVimOf(await registry.show(tenant, id)),
  refuseUsedCluster: (vnfInstanceId) => refuseUsedCluster(manager, { tenant, vnfInstanceId }),
  package: async (named) => {
    const where = 'vnfPkgId' in named ? { id: named.vnfPkgId } : { vnfdId: named.vnfdId };
    const found = await manager.findOneBy(VnfPackageEntity, { tenant, onboardingState: 'ONBOARDED', ...where });
    if (found === null) return undefined;
    return { record: await store.package(manager, found.id), enabled: found.operationalState === 'ENABLED' };
  },
});
