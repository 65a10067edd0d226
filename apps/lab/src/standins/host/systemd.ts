import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** systemd refused. The message has what it said. */
export class SystemdError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SystemdError';
  }
}

async function call(program: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(program, args)).stdout;
  } catch (error) {
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new SystemdError(`${program} ${args.join(' ')}: ${text}`);
  }
}

export const systemctl = (...args: string[]): Promise<string> => call('systemctl', args);

/** Runs a program as a transient service that is started again whenever it ends. */
export async function startService(unit: string, description: string, command: readonly string[]): Promise<void> {
  const properties = ['Restart=always', 'RestartSec=1', 'TimeoutStopSec=5', 'KillMode=mixed', 'LimitNOFILE=65536'];
  await call('systemd-run', [
    '--quiet',
    `--unit=${unit}`,
    `--description=${description}`,
    ...properties.map((property) => `--property=${property}`),
    '--property=StartLimitIntervalSec=0',
    '--',
    ...command,
  ]);
}

/** Stops a service and forgets it; nothing happens if there is none of that name. */
export async function stopService(unit: string): Promise<void> {
  const state = await systemctl('show', '--property=LoadState', '--value', unit);
  if (state.trim() === 'not-found') return;
  await systemctl('stop', unit);
  // A transient service that failed stays loaded until it is reset.
  await systemctl('reset-failed', unit).catch(() => undefined);
}

export interface UnitState {
  active: boolean;
  restarts: number;
  /** RFC 3339, or empty before the first start. */
  since: string;
}

/** What systemd knows of some services, in their order. */
export async function unitStates(units: readonly string[]): Promise<UnitState[]> {
  if (units.length === 0) return [];
  const text = await systemctl(
    'show',
    '--property=ActiveState,SubState,NRestarts,ActiveEnterTimestamp',
    '--timestamp=unix',
    ...units,
  );
  return text
    .trim()
    .split('\n\n')
    .map((block) => {
      const values = new Map(
        block.split('\n').map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      const entered = Number((values.get('ActiveEnterTimestamp') ?? '').replace('@', ''));
      return {
        active: values.get('ActiveState') === 'active' && values.get('SubState') === 'running',
        restarts: Number(values.get('NRestarts') ?? '0'),
        since: entered > 0 ? new Date(entered * 1_000).toISOString() : '',
      };
    });
}

export const isEnabled = async (unit: string): Promise<boolean> =>
  (
    await systemctl('is-enabled', unit).catch((error: unknown) =>
      error instanceof SystemdError ? 'disabled' : Promise.reject(error as Error),
    )
  ).trim() === 'enabled';

export const isActive = async (unit: string): Promise<boolean> => (await unitStates([unit]))[0]?.active === true;

/** Whether systemd knows a unit of that name. */
export const unitExists = async (unit: string): Promise<boolean> =>
  (await systemctl('show', '--property=LoadState', '--value', unit)).trim() === 'loaded';
