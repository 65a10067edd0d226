import { millis, seconds, waitUntil } from '@windlass/foundation';
import { DriverService } from '@windlass/messaging';
import type { DriverDescription, HookContext, ManagementDriver, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { sequence, type Plan } from '@windlass/saga';
import { newToken, startEnrolment, taken } from './enrolment.js';
import { quiet, type System } from './system.js';

/** A management driver on the system's NATS that keeps what it was told, and by default does nothing. */
export interface TestDriver {
  told: HookContext[];
  /** What it waits for before it answers with a plan. */
  before: () => Promise<void>;
  stop(): Promise<void>;
}

/** What a driver says and does beyond nothing. */
export interface TestDriverOptions extends Partial<Omit<DriverDescription, 'driver'>> {
  /** What it answers when it is asked for a plan; nothing to do by default. */
  plan?: (context: HookContext) => Plan;
  validate?: (request: ValidateRequest) => Partial<ValidateReply> | Promise<Partial<ValidateReply>>;
}

/** Starts a driver of that name, with an enrolled key for its service, by default one of the same name; returns when lcm-api has kept it. */
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
