import { millis, seconds, waitUntil } from '@windlass/foundation';
import { DriverService } from '@windlass/messaging';
import type { DriverDescription, HookContext, ManagementDriver, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { sequence, type Plan } from '@windlass/saga';
import { newToken, startEnrolment, taken } from './enrolment.js';
import { quiet, type System } from './system.js';

/** A management driver on the system's NATS that keeps each hook's context, and by default plans nothing. */
export interface TestDriver {
  told: HookContext[];
  /** Awaited before the driver answers with a plan. */
  before: () => Promise<void>;
  stop(): Promise<void>;
}

/** Members of the driver's description, and how it plans. */
export interface TestDriverOptions extends Partial<Omit<DriverDescription, 'driver'>> {
  /** Makes the plan of a hook; an empty plan by default. */
  plan?: (context: HookContext) => Plan;
  validate?: (request: ValidateRequest) => Partial<ValidateReply> | Promise<Partial<ValidateReply>>;
}

/** Starts a driver with an enrolled key for its service, which has the driver's name by default. Returns when lcm-api has kept the driver. */
export async function startTestDriver(
  { link, database, masterKeys }: Pick<System, 'link' | 'database' | 'masterKeys'>,
  driver: string,
  { plan, validate = () => ({}), ...more }: TestDriverOptions = {},
): Promise<TestDriver> {
  const description: DriverDescription = {
    contract: 2,
    driver,
    version: '0.1.0',
    service: driver,
    hooks: ['scale_start', 'scale_end', 'modify_information_start', 'modify_information_end'],
    actions: [],
    parameters: {},
    ...more,
  };
  const told: HookContext[] = [];
  const running = { told, before: () => Promise.resolve() };
  const answers: ManagementDriver = {
    describe: () => description,
    validate: async (request) => ({ invalidParams: [], warnings: [], normalised: {}, ...(await validate(request)) }),
    plan: async (context) => {
      told.push(context);
      await running.before();
      return plan?.(context) ?? { madeBy: { driver, version: '0.1.0' }, root: sequence() };
    },
  };
  const { service } = description;
  const { text: token } = await newToken(database, masterKeys, { service });
  const enrolment = startEnrolment({ link, service, worker: `${driver}-1`, log: quiet, token });
  await taken(enrolment);
  const answering = new DriverService({ link, driver: answers, enrolment, log: quiet }).start();
  await waitUntil(() => Promise.resolve(answering.kept || undefined), {
    for: 'the driver to be kept',
    within: seconds(60),
    every: millis(50),
  });
  return Object.assign(running, {
    stop: async () => {
      await answering.stop();
      await enrolment.stop();
    },
  });
}
