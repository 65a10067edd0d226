import { minutes, seconds } from '@windlass/foundation';
import type { DriverClient } from '@windlass/lifecycle';
import { mgmtContracts, type RequestClient } from '@windlass/messaging';
import type { HookContext } from '@windlass/mgmt-driver';
import type { Plan } from '@windlass/saga';

/** Drivers as the coordinator reaches them. A plan is asked for until there is an answer: drivers compute it, and change nothing. */
export class NatsDriverClient implements DriverClient {
  constructor(private readonly client: RequestClient) {}

  plan(driver: string, context: HookContext, signal: AbortSignal): Promise<Plan> {
    return this.client.requestUntilAnswered(mgmtContracts(driver).plan, context, {
      each: seconds(10),
      within: minutes(1),
      signal,
    });
  }
}
