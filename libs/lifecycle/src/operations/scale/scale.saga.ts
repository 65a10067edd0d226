import { operationSaga } from '../../operation/operation-saga.js';
import { scaleScript } from './scale-request.js';
import { scalingSteps } from './scaling-steps.js';

/** SCALE by steps of one aspect. */
export const scale = operationSaga(
  'SCALE',
  scalingSteps('scale', ({ opOcc }) => opOcc.request.type === 'SCALE_IN', scaleScript),
);
