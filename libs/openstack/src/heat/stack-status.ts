import { TerminalError } from '@windlass/foundation';

/** What Heat does to stacks and resources. `INIT` is a resource that nothing was done to yet. */
const ACTIONS = [
  'INIT',
  'CREATE',
  'DELETE',
  'UPDATE',
  'ROLLBACK',
  'SUSPEND',
  'RESUME',
  'ADOPT',
  'SNAPSHOT',
  'CHECK',
  'RESTORE',
] as const;
const PHASES = ['IN_PROGRESS', 'COMPLETE', 'FAILED'] as const;

export type StackAction = (typeof ACTIONS)[number];
export type StackPhase = (typeof PHASES)[number];

/** `CREATE_IN_PROGRESS`, `UPDATE_FAILED` and so on: of a stack and of a resource. A resource marked unhealthy is `CHECK_FAILED`. */
export type StackStatus = `${StackAction}_${StackPhase}`;

/** The two halves of a status. */
export interface ParsedStatus {
  action: StackAction;
  phase: StackPhase;
}

/** @throws TerminalError `openstack.unexpected-answer` for a status Heat does not have */
export function parseStatus(text: string): ParsedStatus {
  const phase = PHASES.find((candidate) => text.endsWith(`_${candidate}`));
  const action = ACTIONS.find((candidate) => phase !== undefined && text === `${candidate}_${phase}`);
  if (phase === undefined || action === undefined) {
    throw new TerminalError('openstack.unexpected-answer', `"${text}" is not a status of a Heat stack or resource`);
  }
  return { action, phase };
}

export const asStackStatus = (text: string): StackStatus => {
  const { action, phase } = parseStatus(text);
  return `${action}_${phase}`;
};
