import { isJsonObject, type Json } from '@windlass/foundation';
import type { MachineFleet } from '../../machine-fleet.js';
import { pythonRepr, pythonStr } from '../http/python-json.js';
import type { Server } from '../state/state.js';
import { computeError, invalidField } from '../http/nova-errors.js';

/**
 * The last lines of what a server wrote on its console, all of them where no number is given.
 * @throws HttpFailure 409 before it has a machine, 501 where machines have no console.
 */
export async function readConsole(fleet: MachineFleet | undefined, server: Server, lines?: number): Promise<string> {
  if (fleet?.consoleLog === undefined) throw computeError(501, 'The requested functionality is not supported.');
  if (server.launchedAt === null) throw computeError(409, `Instance ${server.id} is not ready`);
  const said = printable(await fleet.consoleLog(server.id));
  return lines === undefined ? said : lastLines(said, lines);
}

/** How many of the last lines are asked for; all of them where none or -1 is said. */
export function consoleLength(options: Json | undefined): number | undefined {
  const length = isJsonObject(options) ? options.length : undefined;
  if (length === undefined || length === null) return undefined;
  const whole = typeof length === 'string' && /^-?\d+$/.test(length) ? Number(length) : length;
  if (typeof whole !== 'number' || !Number.isInteger(whole))
    throw invalidField('length', pythonStr(length), `${pythonRepr(length)} is not of type 'integer'`);
  return whole < 0 ? undefined : whole;
}

/** Nova takes control characters out, but for tabs and line ends. */
const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\t\n\x7f-\x9f]/gu, '');

/** As Nova counts: what stands behind the last line end is a line too, though it is empty. */
const lastLines = (text: string, count: number): string => (count === 0 ? '' : text.split('\n').slice(-count).join('\n'));
