/** Begins the reason of a mark that a scaling sets, so that one it left behind can be told from a person's. */
export const LEAVES_MARK = 'windlass: leaves by scaling, operation ';

/** Begins the reason of a mark that a heal sets. */
export const HEAL_MARK = 'marked by Windlass for heal ';

/** Whether Windlass set a mark of that reason. */
export const isOurMark = (reason: string): boolean => reason.startsWith(LEAVES_MARK) || reason.startsWith(HEAL_MARK);
