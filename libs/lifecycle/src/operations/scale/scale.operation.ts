import { toJsonObject } from '@windlass/foundation';
import { ScaleVnfRequestBody } from '@windlass/sol003';
import { scaleCnfInline, scaleOnKubernetes } from './scale-cnf.js';
import { requireStarted } from '../../operation/instance-checks.js';
import { defineOperation } from '../../operation/operation-definition.js';
import { grantInline } from '../../shared-steps/grant/grant-inline.js';
import { checkScript } from '../../shared-steps/user-data/check-script.js';
import { HOST_KEYS_PARAM } from '../../records/known-host-keys.js';
import { predictScaling } from './predict-scaling.js';
import { leaveScaled } from './leave-scaled.js';
import { scaleInline } from './scale-inline.js';
import { LEAVING_VNFCS } from './named-leavers.js';
import { checkSize } from './scale-plan.js';
import { scaleScript, scalingBySteps } from './scale-request.js';
import { LEAVES_FIRST } from './scaling.js';
import { scale as saga } from './scale.saga.js';
import { scalingEffect } from './scaling-effect.js';
import { scaledResources } from './scaled-resources.js';

/** SCALE (SOL003 5.4.5): an aspect, by steps. */
export const scale = defineOperation<ScaleVnfRequestBody>({
  ...saga,
  body: ScaleVnfRequestBody,
  concernsDrivers: true,
  usesVim: true,
  makesVms: true,

  grant: scaledResources(scalingBySteps),

  checkBeforeDrivers: async ({ request, instance, package: record, flavourId, lookups }) => {
    requireStarted(instance);
    const context = { instance, package: record, flavourId, opOcc: { id: instance.id, request: toJsonObject(request) } };
    checkSize(context, scalingBySteps(context));
    await checkScript({ request: context.opOcc.request, instance, package: record, lookups }, scaleScript);
    return request;
  },

  script: scaleScript,
  paramsRead: [HOST_KEYS_PARAM, LEAVING_VNFCS, LEAVES_FIRST],

  effect: scalingEffect(scalingBySteps),

  predictDrafts: predictScaling(scalingBySteps),
  inline: { ...grantInline, ...scaleInline(scalingBySteps), ...scaleCnfInline(scalingBySteps) },
  afterFail: leaveScaled,
  onKubernetes: scaleOnKubernetes('SCALE', 'scale', scalingBySteps),
});
