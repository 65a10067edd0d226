import type { MachineFleet, MachineSpec } from '../../machine-fleet.js';
import { isoSeconds } from '../state/ids.js';
import type { Server } from '../state/state.js';
import { computeError } from '../http/nova-errors.js';
import { taskOf, vmStateOf } from './nova-views.js';

export interface PowerParts {
  fleet: MachineFleet | undefined;
  spec: (server: Server) => MachineSpec;
  /** How long the next stop or start is to take beyond what the machine needs, in milliseconds. */
  delay: (server: Server) => number;
  /** Called when a server has changed by itself. */
  changed: () => void;
}

/** Stops and starts of servers. The request is answered at once; what follows is a task of the server, which it shows. */
export class Power {
  readonly #tasks = new Map<string, { name: 'powering-off' | 'powering-on'; done: Promise<void> }>();

  constructor(private readonly parts: PowerParts) {}

  /** `powering-off` or `powering-on` while it is. */
  taskOf = (serverId: string): string | undefined => this.#tasks.get(serverId)?.name;

  /** Resolves when nothing of that kind is under way, with the server or with any. */
  async settled(serverId?: string): Promise<void> {
    const tasks = [...this.#tasks].filter(([id]) => serverId === undefined || id === serverId);
    await Promise.all(tasks.map(([, { done }]) => done));
  }

  /**
   * `os-stop` and `os-start`: a server in ACTIVE or ERROR is stopped, one in SHUTOFF started.
   * @throws HttpFailure 409 in another state, and while a task is under way; 501 where the machines can't be halted
   */
  switch(server: Server, action: 'stop' | 'start'): void {
    const { fleet } = this.parts;
    if (fleet !== undefined && fleet.shutDown === undefined)
      throw computeError(501, 'The machines of this park can be rebooted, not stopped.');
    requireState(server, action, action === 'stop' ? ['active', 'error'] : ['stopped'], this.taskOf(server.id));
    const name = action === 'stop' ? 'powering-off' : 'powering-on';
    const done = this.#carryOut(server, action).finally(() => {
      this.#tasks.delete(server.id);
      this.parts.changed();
    });
    this.#tasks.set(server.id, { name, done });
  }

  async #carryOut(server: Server, action: 'stop' | 'start'): Promise<void> {
    const { fleet, spec, delay } = this.parts;
    try {
      const after = delay(server);
      if (after > 0) await new Promise((resolve) => setTimeout(resolve, after));
      if (action === 'start') await fleet?.boot(spec(server));
      else await fleet?.shutDown?.(server.id);
      server.status = action === 'stop' ? 'SHUTOFF' : 'ACTIVE';
      server.updated = isoSeconds();
    } catch (error) {
      // As Nova: the server stays what it was, and says why.
      server.fault = { code: 500, message: error instanceof Error ? error.message : String(error), created: isoSeconds() };
    }
  }
}

/** @throws HttpFailure 409 in Nova's words, of the `vm_state` first and then of the task */
export function requireState(server: Server, action: string, states: readonly string[], task = taskOf(server)): void {
  const refuse = (attribute: string, value: string) =>
    computeError(409, `Cannot '${action}' instance ${server.id} while it is in ${attribute} ${value}`);
  const state = vmStateOf(server);
  if (!states.includes(state)) throw refuse('vm_state', state);
  if (task !== undefined) throw refuse('task_state', task);
}
