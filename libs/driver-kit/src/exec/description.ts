import { minutes, seconds, TerminalError, type Duration, type JsonObject } from '@windlass/foundation';
import { descriptionRule } from '@windlass/messaging';
import { CHECKED_OPERATIONS, type CheckedOperation, type DriverDescription } from '@windlass/mgmt-driver';
import type { RetryPolicy } from '@windlass/saga';

/** What an executable says of one of its actions. */
export interface ExecAction {
  name: string;
  version: number;
  /** Whether the executable is run with `undo`. If not, the action has no undo. */
  undo: boolean;
  /** How long the executable may be silent while it runs. */
  silence: Duration;
  /** How long one attempt may take. */
  within: Duration;
  retry: RetryPolicy;
}

/** What an executable says of itself. */
export interface ExecDescription {
  /** What is announced. */
  driver: DriverDescription;
  actions: readonly ExecAction[];
  /** Operations whose requests the executable checks. */
  checks: readonly CheckedOperation[];
}

const MEMBERS = ['contract', 'driver', 'version', 'service', 'hooks', 'actions', 'offers', 'parameters', 'operationParameters'];
const ACTION = ['name', 'version', 'undo', 'silenceSeconds', 'withinSeconds', 'attempts', 'backoffSeconds'];
/**
 * Reads the answer to `describe`.
 * @param path of the executable, for the error
 * @throws TerminalError `driver.bad-description`
 */
export function readDescription(answer: JsonObject, path: string): ExecDescription {
  const bad = (what: string): TerminalError =>
    new TerminalError('driver.bad-description', `the description of ${path} is wrong: ${what} (docs/contracts/mgmt-driver.md)`);
  const unknown = Object.keys(answer).find((member) => member !== 'checks' && !MEMBERS.includes(member));
  if (unknown !== undefined) throw bad(`it has a member "${unknown}"; ${[...MEMBERS, 'checks'].join(', ')} were expected`);
  const { checks = [], ...described } = answer;
  const checked = descriptionRule.check({ contract: 2, hooks: [], actions: [], parameters: {}, ...described });
  if (!checked.ok) throw bad(checked.wrong.map(({ path: at, reason }) => `${at === '' ? 'the whole' : at} ${reason}`).join('; '));
  if (!Array.isArray(checks) || !checks.every((each) => (CHECKED_OPERATIONS as readonly unknown[]).includes(each)))
    throw bad(`/checks has to be a list of some of ${CHECKED_OPERATIONS.join(', ')}`);
  const driver = checked.value;
  const actions = driver.actions.map((action, index) => {
    try {
      return readAction(action);
    } catch (error) {
      throw bad(`/actions/${index} ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  return {
    driver: { ...driver, actions: actions.map(({ name, version }) => ({ name, version })) },
    actions,
    checks: checks as CheckedOperation[],
  };
}

/** @throws Error with what is wrong */
function readAction(action: { name: string; version: number }): ExecAction {
  const given: Record<string, unknown> = { ...action };
  const unknown = Object.keys(given).find((member) => !ACTION.includes(member));
  if (unknown !== undefined) throw new Error(`has a member "${unknown}"; ${ACTION.join(', ')} were expected`);
  const { undo = false } = given;
  if (typeof undo !== 'boolean') throw new Error('has an "undo" that is neither true nor false');
  const number = (member: string, otherwise: number, least: number, most: number): number => {
    const { [member]: value = otherwise } = given;
    if (typeof value === 'number' && value >= least && value <= most) return value;
    throw new Error(`has a "${member}" that is no number from ${least} to ${most}`);
  };
  return {
    ...{ name: action.name, version: action.version, undo },
    silence: seconds(number('silenceSeconds', 60, 1, 3_600)),
    within: seconds(number('withinSeconds', minutes(30) / 1_000, 1, 86_400)),
    retry: { attempts: number('attempts', 5, 1, 100), backoff: seconds(number('backoffSeconds', 2, 0, 3_600)), growth: 2 },
  };
}
