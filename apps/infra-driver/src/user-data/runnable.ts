import { seconds, TerminalError, WindlassError } from '@windlass/foundation';
import type { RunnableReply } from '@windlass/messaging';
import type { ScriptLanguage } from '@windlass/user-data';
import { runScript } from './run-script.js';

/** A script of ours, which does nothing: where it runs, others do. */
const TRIALS: Record<ScriptLanguage, { script: string; text: string }> = {
  python: { script: 'trial.py', text: 'class Trial:\n    def instantiate(a, b, c, d):\n        return {"ran": True}\n' },
  javascript: { script: 'trial.mjs', text: 'export const Trial = { instantiate: () => ({ ran: true }) };\n' },
};

/** Whether scripts can be run here. What was found to work is not tried again; what did not may have been mended. */
export class Runnable {
  readonly #works = new Set<ScriptLanguage>();

  constructor(private readonly python: string) {}

  async of(language: ScriptLanguage): Promise<RunnableReply> {
    if (this.#works.has(language)) return { runnable: true };
    const { script, text } = TRIALS[language];
    try {
      await runScript({
        project: 'a trial of this service',
        script,
        className: 'Trial',
        method: 'instantiate',
        facts: { request: {}, instance: {}, grantRequest: {}, grant: {}, current: null, desiredCapacity: null, vnfcs: [] },
        vnfd: {},
        flavourId: '',
        baseHot: { template: {}, files: {} },
        package: new Map([[script, Buffer.from(text)]]),
        settings: { python: this.python, within: seconds(10) },
        signal: AbortSignal.timeout(seconds(15)),
      });
    } catch (error) {
      if (error instanceof TerminalError) return { runnable: false, reason: error.message };
      if (error instanceof WindlassError) return { runnable: true }; // what passes says nothing of the machine
      throw error;
    }
    this.#works.add(language);
    return { runnable: true };
  }
}
