import { minutes, seconds } from '@windlass/foundation';
import type { DriverClient } from '@windlass/lifecycle';
import { mgmtContracts, type DriverAsker } from '@windlass/messaging';
import type { DriverDescription, HookContext } from '@windlass/mgmt-driver';
import type { Plan } from '@windlass/saga';

/** The coordinator's way to drivers. A plan is asked for until a proven answer of the driver arrives: drivers compute plans, and change nothing. */
export class NatsDriverClient implements DriverClient {
  constructor(private readonly asker: DriverAsker) {}

  plan(driver: DriverDescription, context: HookContext, signal: AbortSignal): Promise<Plan> {
    return this.asker.askUntilAnswered(driver, mgmtContracts(driver.driver).plan, context, {
      each: seconds(10),
      within: minutes(1),
      signal,
    });
  }
}
