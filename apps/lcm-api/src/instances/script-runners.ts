import { RequestError, seconds, TransientError } from '@windlass/foundation';
import { runnableContract, type RequestClient, type RunnableReply, type RunnableRequest } from '@windlass/messaging';
import type { NamedScript } from '@windlass/user-data';

/** Characters of a script that is looked at before it is run: a larger one is not. */
const MOST_TEXT = 131_072;

/** Whose script it is, and what is known of it. */
export interface ScriptSource {
  tenant: string;
  modules: readonly string[];
  text: string | undefined;
}

/** Those who run packages' scripts, as far as a request is to know of them. */
export class ScriptRunners {
  constructor(private readonly client: Pick<RequestClient, 'request'>) {}

  /**
   * Checks before acceptance that a script can be run; of a Python script also that it compiles, has the class, and finds the modules that neither
   * the package nor Windlass brings. The script itself is not run.
   * A service that does not answer is no reason to refuse: work is accepted while services are down, and the step that runs the script checks again.
   * @throws RequestError 400 `user-data.not-runnable`
   */
  async require({ language, path: script, className }: NamedScript, { tenant, modules, text }: ScriptSource): Promise<void> {
    const own = language === 'python' ? { asked: { tenant, path: script, className, modules: modules.slice(0, 50) } } : {};
    const short = text !== undefined && text.length <= MOST_TEXT ? text : undefined;
    const asked = own.asked === undefined || short === undefined ? own : { asked: { ...own.asked, text: short } };
    const request: RunnableRequest = { language, ...asked };
    const answer = await this.client
      .request(runnableContract, request, { within: seconds(4) })
      .catch((error: unknown): RunnableReply => {
        if (error instanceof TransientError) return { runnable: true };
        throw error;
      });
    if (answer.runnable) return;
    const path = `/additionalParams/lcm-operation-user-data${answer.lacksClass === true ? '-class' : ''}`;
    const reason = answer.reason ?? `the infra driver runs no scripts in ${language}`;
    throw new RequestError(400, 'user-data.not-runnable', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
  }
}
