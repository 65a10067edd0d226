import { RequestError, seconds, TransientError } from '@windlass/foundation';
import { runnableContract, type RequestClient } from '@windlass/messaging';
import type { ScriptLanguage } from '@windlass/user-data';

/** Those who run packages' scripts, as far as a request is to know of them. */
export class ScriptRunners {
  constructor(private readonly client: Pick<RequestClient, 'request'>) {}

  /**
   * Whoever does not answer is no reason to refuse: work is accepted while services are down, and the step that runs the script looks for itself.
   * @throws RequestError 400 `user-data.not-runnable`
   */
  async require(language: ScriptLanguage): Promise<void> {
    const answer = await this.client.request(runnableContract, { language }, { within: seconds(4) }).catch((error: unknown) => {
      if (error instanceof TransientError) return { runnable: true, reason: undefined };
      throw error;
    });
    if (answer.runnable) return;
    const path = '/additionalParams/lcm-operation-user-data';
    const reason = answer.reason ?? `the infra driver runs no scripts in ${language}`;
    throw new RequestError(400, 'user-data.not-runnable', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
  }
}
