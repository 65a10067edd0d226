import { changeExtConn } from './change-ext-conn/change-ext-conn.operation.js';
import { heal } from './heal/heal.operation.js';
import { instantiate } from './instantiate/instantiate.operation.js';
import { modify } from './modify/modify.operation.js';
import { operate } from './operate/operate.operation.js';
import { scale } from './scale/scale.operation.js';
import { scaleToLevel } from './scale-to-level/scale-to-level.operation.js';
import { terminate } from './terminate/terminate.operation.js';
import { OperationTable } from '../operation/operation-table.js';

/** Every operation that Windlass has, a row each: routes, links, checks, plans and what a failure leaves come from here. */
export const OPERATIONS = new OperationTable([instantiate, terminate, scale, scaleToLevel, heal, operate, changeExtConn, modify]);
