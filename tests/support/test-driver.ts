import { seconds, waitUntil } from '@windlass/foundation';
import { announceContract, mgmtContracts, RequestClient, RequestServer } from '@windlass/messaging';
import type { DriverDescription, HookContext } from '@windlass/mgmt-driver';
import { sequence } from '@windlass/saga';
import { quiet, type System } from './system.js';

/** A management driver on the system's NATS that does nothing and keeps what it was told. */
export interface TestDriver {
  told: HookContext[];
  stop(): Promise<void>;
}

/** Starts a driver of that name, and returns when lcm-api has kept it. */
export async function startTestDriver({ link }: System, driver: string): Promise<TestDriver> {
  const description: DriverDescription = {
    driver,
    version: '0.1.0',
    service: driver,
    hooks: ['scale_start', 'scale_end', 'modify_information_start', 'modify_information_end'],
    actions: [],
    parameters: {},
  };
  const told: HookContext[] = [];
  const contracts = mgmtContracts(driver);
  const server = new RequestServer(link, driver, quiet);
  server.serve(contracts.describe, () => Promise.resolve(description));
  server.serve(contracts.validate, () => Promise.resolve({ invalidParams: [], warnings: [], normalised: {} }));
  server.serve(contracts.plan, (context) => {
    told.push(context);
    return Promise.resolve({ madeBy: { driver, version: '0.1.0' }, root: sequence() });
  });
  const client = new RequestClient(link);
  await waitUntil(async () => (await client.request(announceContract, description)).kept || undefined, {
    for: 'the driver to be kept',
    within: seconds(60),
    every: seconds(0.2),
  });
  return { told, stop: () => server.drain() };
}
