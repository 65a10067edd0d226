import { operationSaga } from '../../operation/operation-saga.js';
import { takesAway } from '../scale/scaling.js';
import { scalingSteps } from '../scale/scaling-steps.js';
import { scalingToLevel } from './level-request.js';

/** SCALE_TO_LEVEL: groups of some aspects may grow while those of others shrink, by one update. */
export const scaleToLevel = operationSaga(
  'SCALE_TO_LEVEL',
  scalingSteps('scale_to_level', (context) => takesAway(context, scalingToLevel(context))),
);
