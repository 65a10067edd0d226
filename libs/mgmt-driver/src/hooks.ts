/** Lifecycle operations that hooks stand around, as packages spell them (SOL001 6.7 interface operations, reference system's hook names). */
export const HOOKED_OPERATIONS = [
  'instantiate',
  'terminate',
  'scale',
  'heal',
  'change_external_connectivity',
  'modify_information',
] as const;
export type HookedOperation = (typeof HOOKED_OPERATIONS)[number];

export type Hook = `${HookedOperation}_${'start' | 'end'}`;
export const HOOKS: readonly Hook[] = HOOKED_OPERATIONS.flatMap(
  (operation) => [`${operation}_start`, `${operation}_end`] as const,
);

export const isHook = (name: string): name is Hook => (HOOKS as readonly string[]).includes(name);
