import { isJsonObject } from '@windlass/foundation';

/** Characters of a message that are shown. The plugin prints more, because a message is masked as a whole before it is cut. */
const LONGEST = 600;

/** Where a playbook failed. */
export interface TaskFailure {
  host: string;
  task: string;
  status: 'failed' | 'unreachable';
  message: string;
}

/** The progress text of a line of the callback plugin; undefined for a line of any other program. */
export function shownOf(playbook: string, line: string): string | undefined {
  const said = parsed(line);
  if (said?.event === 'task') return `${playbook}: ${String(said.task)}`;
  if (said?.event !== 'result') return undefined;
  const { task, host, status, message } = said;
  return `${playbook}: ${String(task)} on ${String(host)}: ${String(status)}${typeof message === 'string' ? `, ${message}` : ''}`;
}

/** The failures in the plugin's last line; undefined without such a line: the playbook has not come to its end. */
export function failuresIn(output: string): { failed: TaskFailure[]; more: number } | undefined {
  for (const line of output.trimEnd().split('\n').reverse()) {
    const said = parsed(line);
    if (said?.event === 'end') return { failed: said.failed as TaskFailure[], more: Number(said.more) };
  }
  return undefined;
}

/** The failures as one text. */
export const failuresShown = ({ failed, more }: { failed: TaskFailure[]; more: number }): string =>
  [
    ...failed.map(
      ({ host, task, status, message }) =>
        `${host} ${status === 'failed' ? 'failed' : 'could not be reached'} at "${task}": ${message.slice(0, LONGEST)}`,
    ),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('; ');

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // A line of some other program, or one whose beginning is lost.
    return undefined;
  }
}
