import { toJsonObject } from '@windlass/foundation';
import { ScaleVnfRequestBody } from '@windlass/sol003';
import { scaleCnfInline, scaleOnKubernetes } from './scale-cnf.js';
import { requireStarted } from '../../operation/instance-checks.js';
import { defineOperation } from '../../operation/operation-definition.js';
import { grantInline } from '../../parts/grant/grant-inline.js';
import { checkScript } from '../../parts/user-data/check-script.js';
import { foreseenScaling } from './foreseen-scaling.js';
import { leaveScaled } from './leave-scaled.js';
import { scaleInline } from './scale-inline.js';
import { checkSize } from './scale-plan.js';
import { scalingBySteps } from './scale-request.js';
import { scale as saga } from './scale.saga.js';
import { scaledOutlook } from './scaled-outlook.js';
import { scaledResources } from './scaled-resources.js';

/** SCALE (SOL003 5.4.5): an aspect, by steps. */
export const scale = defineOperation<ScaleVnfRequestBody>({
  ...saga,
  route: { method: 'POST', task: 'scale', link: 'scale' },
  body: ScaleVnfRequestBody,
  hooks: 'scale',
  concernsDrivers: true,
  usesVim: true,
  makesVms: true,

  grant: scaledResources(scalingBySteps),

  checkBeforeDrivers: async ({ request, instance, package: record, flavourId, lookups }) => {
    requireStarted(instance);
    const context = { instance, package: record, flavourId, opOcc: { id: instance.id, request: toJsonObject(request) } };
    checkSize(context, scalingBySteps(context));
    await checkScript({ request: context.opOcc.request, instance, package: record, lookups }, 'SCALE');
    return request;
  },

  outlook: scaledOutlook(scalingBySteps),

  foresees: foreseenScaling(scalingBySteps),
  inline: { ...grantInline, ...scaleInline(scalingBySteps), ...scaleCnfInline(scalingBySteps) },
  afterFail: leaveScaled,
  onKubernetes: scaleOnKubernetes('SCALE', 'scale', scalingBySteps),
});
