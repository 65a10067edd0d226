import { toJsonObject } from '@windlass/foundation';
import { ChangeExtVnfConnectivityRequestBody } from '@windlass/sol003';
import { flavourOf } from '@windlass/vnf-package';
import { beginRefresh } from '../../shared-steps/clean-up/after-failure.js';
import { portsOf } from '../../operation/asked-resources.js';
import { unusedOfLinks } from '../../shared-steps/connectivity/unused-connectivity.js';
import { desiredOf } from '../../records/desired-state.js';
import { connectionsOf } from '../modify/modify-request.js';
import { defineOperation } from '../../operation/operation-definition.js';
import { refuseWrongVims } from '../../operation/refuse-wrong-vims.js';
import { grantInline } from '../../shared-steps/grant/grant-inline.js';
import { instantiatedOf } from '../../records/instantiated.js';
import { checkScript } from '../../shared-steps/user-data/check-script.js';
import { changeExtConnInline, requestOf } from './change-ext-conn-inline.js';
import { changeExtConnScript } from './change-ext-conn-script.js';
import { changeExtConn as saga } from './change-ext-conn.saga.js';
import { connectivityChange } from './connectivity-change.js';
import { connectedBy, namesOf, reconnected } from './connectivity-request.js';
import { withConnectionOf } from './vim-connection.js';

/** CHANGE_EXT_CONN (SOL003 5.4.11): external connection points on other networks, or with other addresses. */
export const changeExtConn = defineOperation<ChangeExtVnfConnectivityRequestBody>({
  ...saga,
  body: ChangeExtVnfConnectivityRequestBody,
  usesVim: true,
  makesVms: false,
  concernsDrivers: true,

  grant: ({ opOcc: { request }, instance: { instantiated } }) => {
    if (instantiated === null) return {};
    const { extVirtualLinks } = request as object as ChangeExtVnfConnectivityRequestBody;
    const moved = new Set(extVirtualLinks.flatMap(({ extCps }) => extCps.map(({ cpdId }) => cpdId)));
    const ports = portsOf(instantiated.info, instantiated.info.vnfcResourceInfo ?? []);
    return { update: ports.filter(({ resourceTemplateId }) => moved.has(resourceTemplateId ?? '')) };
  },

  checkBeforeDrivers: async ({ request, instance, package: record, flavourId, lookups }) => {
    const { model } = record;
    const connected = {
      desired: desiredOf(instance),
      flavour: flavourOf(model, flavourId),
      info: instance.instantiated?.info ?? {},
    };
    reconnected(connected, request);
    const after = connectionsOf(withConnectionOf(request, instance));
    const given = (request.vimConnectionInfo ?? []).map((each) => after.find(({ id }) => id === each.id) ?? each);
    await refuseWrongVims(given, lookups, connectionsOf(instance));
    await checkScript({ request: toJsonObject(request), instance, package: record, lookups }, changeExtConnScript);
    return request;
  },
  // A script gets the whole request, and decides what it uses of it.
  checkAfterDrivers: ({ request, instance, package: { model }, flavourId }) =>
    desiredOf(instance).computed === undefined ? unusedOfLinks(flavourOf(model, flavourId), request.extVirtualLinks) : [],

  script: changeExtConnScript,
  paramsRead: ['nfv'],

  effect: ({ opOcc: { request }, instance }) => {
    const asked = request as object as ChangeExtVnfConnectivityRequestBody;
    const now = instantiatedOf(instance);
    return {
      affectedVnfcs: connectedBy(namesOf(asked.extVirtualLinks), now.vnfcs),
      connectivity: connectivityChange(desiredOf(instance), asked, now),
    };
  },

  predictDrafts: ({ opOcc, instance }, { affectedVnfcs = [], connectivity }, placeholders) => {
    const named = namesOf(requestOf(opOcc).extVirtualLinks);
    const moving = new Set(connectivity?.cps.filter(({ moves }) => moves).map(({ cpdId }) => cpdId));
    const now = instantiatedOf(instance);
    const vnfcs = now.vnfcs.map((vnfc) => placeholders.reconnected(vnfc, (cpdId) => moving.has(cpdId)));
    const sharedCps = now.sharedCps.map((cp) => (moving.has(cp.name) ? placeholders.reconnectedShared(cp) : cp));
    const told = connectivity === undefined ? {} : { connectivity };
    return {
      start: { affectedVnfcs, ...told },
      end: { instantiated: { ...now, vnfcs, sharedCps }, affectedVnfcs: connectedBy(named, vnfcs), ...told },
    };
  },
  inline: { ...grantInline, ...changeExtConnInline },
  afterFail: beginRefresh,
  // After a roll-back the VNF is on its earlier networks, but its ports are new ones.
  afterRollBack: beginRefresh,
});
