import { Secret } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import type { Surroundings } from '@windlass/windlass';
import { registerLab } from '../../lab/register-lab.js';
import type { RealOpenStack } from '../../openstack/real-openstack.js';
import { createInstances } from '../operations.js';
import { onboardSample, setGround, type Ground, type Sample } from '../stage.js';
import { deleteLeftovers } from './left-behind.js';
import { Recorder } from './recorder.js';

/** Everything that a bench on a real OpenStack runs on. */
export interface RecordedGround extends Ground, Sample {
  recorder: Recorder;
  signal: AbortSignal;
  /** Of the same user as the services', by the same recorded way. */
  client: OpenStack;
  /** Makes instances, whose stacks and images are deleted at the end where they are still there. */
  instances(count: number): Promise<string[]>;
  /** They are terminated: nothing of theirs is left. */
  forget(ids: readonly string[]): void;
  /** Names of stacks that the bench asks for itself. */
  stacks: Set<string>;
}

export interface RecordedGroundOptions {
  oneProcess: boolean;
  openStack: RealOpenStack;
  say: (line: string) => void;
  signal: AbortSignal;
  /** Of the services, beside what is always set. */
  environment?: Readonly<Record<string, string>>;
}

/** Sets the stage, works on it, and takes away all that was made, also when the work was stopped. */
export async function onRecordedGround<T>(
  { home }: Pick<Surroundings, 'home'>,
  { oneProcess, openStack, say, signal, environment = {} }: RecordedGroundOptions,
  work: (ground: RecordedGround) => Promise<T>,
): Promise<T> {
  const recorder = await Recorder.start(openStack.authUrl);
  const { user, password, project } = openStack;
  const credentials = { kind: 'password', username: user, password: new Secret(password), project } as const;
  const client = OpenStack.open({ authUrl: recorder.authUrl, credentials });
  const made = new Set<string>();
  const stacks = new Set<string>();
  let deployment: string | undefined;
  try {
    const ground = await setGround({ home, oneProcess, durable: true, environment, say, signal });
    try {
      deployment = (await ground.database.query<{ id: string }>('SELECT id FROM lcm.deployment')).rows[0]?.id;
      await registerLab(ground.api, { ...openStack, keystoneUrl: recorder.authUrl });
      const onGround = { ...ground, ...(await onboardSample(ground.api, home)), signal };
      const instances = async (count: number): Promise<string[]> => {
        const ids = await createInstances(onGround, count);
        for (const id of ids) made.add(id);
        return ids;
      };
      const forget = (ids: readonly string[]): void => ids.forEach((id) => made.delete(id));
      return await work({ ...onGround, recorder, client, instances, forget, stacks });
    } finally {
      await ground.stop();
    }
  } finally {
    try {
      await deleteLeftovers(client, { instances: made, stacks, deployment });
    } finally {
      client.close();
      await recorder.stop();
    }
  }
}
