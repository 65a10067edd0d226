import { isJsonObject, seconds, TerminalError, WindlassError, type JsonObject } from '@windlass/foundation';
import type { AskedScript, RunnableReply, RunnableRequest } from '@windlass/messaging';
import type { ScriptLanguage } from '@windlass/user-data';
import { runScript } from './run-script.js';

/** Scripts of ours that do nothing, or look at another script. Where they run, packages' scripts run, too. */
const TRIALS: Record<ScriptLanguage, { script: string; text: string }> = {
  python: { script: 'trial.py', text: 'from windlass_trial import Trial\n' },
  javascript: { script: 'trial.mjs', text: 'export const Trial = { instantiate: () => ({ ran: true }) };\n' },
};

/** What can be done about a script that can't be run. */
const ADVICE =
  '. Onboard a package with a script that can be run, or have it installed for USER_DATA_PYTHON where the infra driver runs';

const OURS = 'a trial of this service';

/** Whether scripts can be run here. A language that works is not tried again; one that did not work may have been mended. */
export class Runnable {
  readonly #works = new Set<ScriptLanguage>();

  constructor(private readonly python: string) {}

  /** Looks at the script that is asked about, in the sandbox and by the Python that would run it, without running it. */
  async of({ language, asked }: RunnableRequest): Promise<RunnableReply> {
    if (asked === undefined && this.#works.has(language)) return { runnable: true };
    let result: JsonObject | null;
    try {
      result = await this.#tried(language, asked);
    } catch (error) {
      if (error instanceof TerminalError) {
        // A script on which the look fails says nothing about the machine: the step that runs the script reports why.
        return asked === undefined ? { runnable: false, reason: error.message } : this.of({ language });
      }
      if (error instanceof WindlassError) return { runnable: true }; // what passes says nothing of the machine
      throw error;
    }
    this.#works.add(language);
    if (!isJsonObject(result?.fault)) return { runnable: true };
    const { reason, lacksClass } = result.fault;
    const said = `${asked?.path ?? ''}${lacksClass === true ? ':' : ''} ${typeof reason === 'string' ? reason : ''}`.slice(
      0,
      2_000,
    );
    const advice = lacksClass === true ? '' : ADVICE;
    return { runnable: false, reason: `${said}${advice}`, ...(lacksClass === true ? { lacksClass } : {}) };
  }

  async #tried(language: ScriptLanguage, asked: AskedScript | undefined): Promise<JsonObject | null> {
    const { script, text } = TRIALS[language];
    const { result } = await runScript({
      project: asked?.tenant ?? OURS,
      script,
      className: 'Trial',
      method: 'instantiate',
      facts: {
        request: asked === undefined ? {} : { ...asked },
        ...{ instance: {}, grantRequest: {}, grant: {}, current: null, desiredCapacity: null, vnfcs: [] },
      },
      vnfd: {},
      flavourId: '',
      baseHot: { template: {}, files: {} },
      package: new Map([[script, Buffer.from(text)]]),
      settings: { python: this.python, within: seconds(10) },
      signal: AbortSignal.timeout(seconds(15)),
    });
    return result;
  }
}
