/** Lifecycle operations that hooks stand around, as packages spell them (SOL001 6.7 interface operations, reference system's hook names). */
export const HOOKED_OPERATIONS = [
  'instantiate',
  'terminate',
  'scale',
  'scale_to_level',
  'heal',
  'operate',
  'change_external_connectivity',
  'modify_information',
] as const;
/** One of {@link HOOKED_OPERATIONS}. */
export type HookedOperation = (typeof HOOKED_OPERATIONS)[number];

/** A point before (`_start`) or after (`_end`) an operation at which a driver is asked for a plan: `instantiate_end`. */
export type Hook = `${HookedOperation}_${'start' | 'end'}`;
/** All hooks: two for each operation. */
export const HOOKS: readonly Hook[] = HOOKED_OPERATIONS.flatMap(
  (operation) => [`${operation}_start`, `${operation}_end`] as const,
);

/** Whether a name, as a package or a driver spells it, is a hook. */
export const isHook = (name: string): name is Hook => (HOOKS as readonly string[]).includes(name);
