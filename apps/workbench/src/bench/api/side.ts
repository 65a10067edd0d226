import type { Surroundings } from '@windlass/windlass';
import { createInstances, instantiateAll } from '../operations.js';
import { usageOf, type Usage } from '../processes.js';
import { setStage, type Stage } from '../stage.js';
import { Subscribers } from './fan-out.js';
import { fill, sampled, type Filled, type Sampled } from './fill.js';
import type { Asked } from './load.js';

/** One of the two that are compared: its own servers, processes, database and subscribers. */
export interface Side extends Asked {
  name: string;
  stage: Stage;
  sample: Sampled;
  filled: Filled;
  subscribers: Subscribers;
  stop(): Promise<void>;
}

/** Subscribers are on loopback, where notifications go only if that is allowed. */
const ENVIRONMENT = { OUTBOUND_ALLOW: '127.0.0.0/8' };

/** Starts everything from a built checkout, and instantiates the instance that all others are copies of. */
export async function startSide(name: string, home: string, signal: AbortSignal): Promise<Side> {
  const subscribers = await Subscribers.start();
  const ends: (() => Promise<void>)[] = [() => subscribers.stop()];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const stage = await setStage({
      home,
      oneProcess: false,
      durable: true,
      stacks: 'instant',
      environment: ENVIRONMENT,
      say: () => undefined,
      signal,
    });
    ends.push(() => stage.stop());
    const [id = ''] = await createInstances(stage, 1);
    const { operations } = await instantiateAll(stage, [id]);
    const sample = await sampled(stage.database, id);
    const filled = { instances: [id], occurrences: operations.map((operation) => operation.id) };
    const { url, secrets } = stage.deployment;
    return { name, url, token: secrets.token, stage, sample, filled, subscribers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** This checkout, and another where one is to be compared with. */
export async function startSides({ home }: Surroundings, against: string | undefined, signal: AbortSignal): Promise<Side[]> {
  const sides: Side[] = [];
  try {
    sides.push(await startSide('this', home, signal));
    if (against !== undefined) sides.push(await startSide('against', against, signal));
    return sides;
  } catch (error) {
    for (const side of sides) await side.stop();
    throw error;
  }
}

export const fillSide = ({ stage, sample, filled }: Side, upTo: number, signal: AbortSignal): Promise<void> =>
  fill(stage.database, stage.deployment, sample, filled, upTo, signal);

/** What the process of a service, or a server, of this side uses. */
export const usageIn = ({ stage }: Side, name: 'lcm-api' | 'PostgreSQL'): Usage =>
  usageOf(stage.watched)[name] ?? { resident: 0, peak: 0, cpu: 0 };
