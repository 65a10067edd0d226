import { OFFERED_OPERATIONS, vnfdOperationOf, type OfferedOperation, type VnfdOperation } from '@windlass/sol003/operations';

/** A lifecycle operation that hooks stand around, as packages spell it (SOL001 6.7 interface operations, reference system's hook names). */
export type HookedOperation = VnfdOperation;

/** A point before (`_start`) or after (`_end`) an operation at which a driver is asked for a plan: `instantiate_end`. */
export type Hook = `${HookedOperation}_${'start' | 'end'}`;
/** The operations by their hooks: two each. */
const OPERATION_AT = Object.fromEntries(
  OFFERED_OPERATIONS.flatMap((operation) =>
    (['start', 'end'] as const).map((point) => [`${vnfdOperationOf(operation)}_${point}`, operation]),
  ),
) as Readonly<Record<Hook, OfferedOperation>>;

/** All hooks: two for each operation. */
export const HOOKS = Object.keys(OPERATION_AT) as readonly Hook[];

/** The operation that a hook stands around: SCALE of `scale_end`. */
export const operationAt = (hook: Hook): OfferedOperation => OPERATION_AT[hook];

/** Whether a name, as a package or a driver spells it, is a hook. */
export const isHook = (name: string): name is Hook => Object.hasOwn(OPERATION_AT, name);
