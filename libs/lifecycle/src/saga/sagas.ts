import type { LcmOperation } from '../model/records.js';
import { heal } from '../heal/heal.saga.js';
import { instantiate } from '../instantiate/instantiate.saga.js';
import { modify } from '../modify/modify.saga.js';
import { scale } from '../scale/scale.saga.js';
import { terminate } from '../terminate/terminate.saga.js';
import type { OperationSaga } from './operation-saga.js';

/** Every operation that there is; suites and tables go through this list. */
export const SAGAS: readonly OperationSaga[] = [instantiate, terminate, scale, heal, modify];

export const sagaOf = (operation: LcmOperation): OperationSaga | undefined => SAGAS.find((saga) => saga.operation === operation);
