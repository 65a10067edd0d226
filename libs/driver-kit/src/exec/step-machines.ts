import type { ScriptAsk } from './said.js';

/** What a step's process may ask for. An error of these ends the step. */
export interface StepMachines {
  /** Runs a script as a job that outlives us, and returns when it has ended well. */
  script(ask: ScriptAsk): Promise<{ stdout: string; stderr: string }>;
  /** Lines of a known_hosts file for the machine at a pointer of the input. */
  knownHosts(on: string): Promise<readonly string[]>;
}
