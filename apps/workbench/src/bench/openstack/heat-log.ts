import { TerminalError } from '@windlass/foundation';
import { readFile } from 'node:fs/promises';

/** When Heat said of a stack that its creation began, and that it was complete; milliseconds since 1970. */
export interface Creation {
  began: number;
  ended: number;
}

/**
 * Heat's engine writes a line as it makes an event of a stack: `2026-11-22 07:40:01.234 ... Persisting stack NAME status CREATE COMPLETE`. The event
 * has whole seconds, the line milliseconds, in the machine's own zone. tools/openstack has Heat write it (`default_log_levels`).
 * @throws TerminalError `bench.no-events`
 */
export function creationIn(log: string, stackName: string): Creation {
  const at = (status: string): number => {
    const found = eventIn(log, stackName, `CREATE ${status}`);
    if (found === undefined)
      throw new TerminalError(
        'bench.no-events',
        `the log of Heat's engine has no line for CREATE ${status} of stack ${stackName}`,
      );
    return found;
  };
  return { began: at('IN_PROGRESS'), ended: at('COMPLETE') };
}

/**
 * When Heat made the first event of that status of the stack, milliseconds since 1970; undefined where its log has none.
 * @param status as the log has it: `DELETE COMPLETE`
 */
export function eventIn(log: string, stackName: string, status: string): number | undefined {
  return timeOf(log.split('\n').find((one) => one.includes(`Persisting stack ${stackName} status ${status}`)));
}

/** All events of these stacks themselves, by Heat's engine: `CREATE IN_PROGRESS vnf-a`. */
export function eventsIn(log: string, stackNames: readonly string[]): { at: number; what: string }[] {
  const wanted = new Set(stackNames);
  return log.split('\n').flatMap((line) => {
    const [, name = '', status = ''] = /Persisting stack (\S+) status (\w+ \w+)/.exec(line) ?? [];
    const at = wanted.has(name) ? timeOf(line) : undefined;
    return at === undefined ? [] : [{ at, what: `${status} ${name}` }];
  });
}

function timeOf(line: string | undefined): number | undefined {
  const [, year, month, day, hour, minute, second, part] =
    /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3}) /.exec(line ?? '') ?? [];
  if (year === undefined) return undefined;
  const [y, m, d, h, min, s, ms] = [year, month, day, hour, minute, second, part].map(Number) as Parts;
  return new Date(y, m - 1, d, h, min, s, ms).getTime();
}

type Parts = [number, number, number, number, number, number, number];

export const creationOf = async (logFile: string, stackName: string): Promise<Creation> =>
  creationIn(await readFile(logFile, 'utf8'), stackName);
