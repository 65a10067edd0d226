import { toJsonObject } from '@windlass/foundation';
import { ScaleVnfToLevelRequestBody } from '@windlass/sol003';
import { scaleCnfInline, scaleOnKubernetes } from '../scale/scale-cnf.js';
import { requireStarted } from '../../operation/instance-checks.js';
import { defineOperation } from '../../operation/operation-definition.js';
import { grantInline } from '../../shared-steps/grant/grant-inline.js';
import { HOST_KEYS_PARAM } from '../../records/known-host-keys.js';
import { predictScaling } from '../scale/predict-scaling.js';
import { leaveScaled } from '../scale/leave-scaled.js';
import { scaleInline } from '../scale/scale-inline.js';
import { LEAVING_VNFCS } from '../scale/named-leavers.js';
import { checkSize } from '../scale/scale-plan.js';
import { scalingEffect } from '../scale/scaling-effect.js';
import { scaledResources } from '../scale/scaled-resources.js';
import { scalingToLevel } from './level-request.js';
import { scaleToLevel as saga } from './scale-to-level.saga.js';

/** SCALE_TO_LEVEL (SOL003 5.4.6): to a level of the VNFD, or aspects to levels of theirs. */
export const scaleToLevel = defineOperation<ScaleVnfToLevelRequestBody>({
  ...saga,
  body: ScaleVnfToLevelRequestBody,
  concernsDrivers: true,
  usesVim: true,
  makesVms: true,
  /** A VNF of which nothing scales has no such task (5.4.6.3.1, response 404). */
  isTaskOf: ({ scaleStatus }) => scaleStatus.length > 0,

  grant: scaledResources(scalingToLevel),

  checkBeforeDrivers: ({ request, instance, package: record, flavourId }) => {
    requireStarted(instance);
    const context = { instance, package: record, flavourId, opOcc: { id: instance.id, request: toJsonObject(request) } };
    checkSize(context, scalingToLevel(context));
    return request;
  },

  paramsRead: [HOST_KEYS_PARAM, LEAVING_VNFCS],

  effect: scalingEffect(scalingToLevel),

  predictDrafts: predictScaling(scalingToLevel),
  inline: { ...grantInline, ...scaleInline(scalingToLevel), ...scaleCnfInline(scalingToLevel) },
  afterFail: leaveScaled,
  onKubernetes: scaleOnKubernetes('SCALE_TO_LEVEL', 'scale_to_level', scalingToLevel),
});
