import { minutes } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCluster, type Machine } from './support/rest-cluster.js';

const WITHIN = minutes(25);

describe('a cluster of whose masters some are dead, by requests alone', () => {
  let cluster: RestCluster;
  const dead: Machine[] = [];

  beforeAll(async () => {
    cluster = await RestCluster.start('complex');
    await cluster.instantiate();
  }, WITHIN);
  afterAll(() => cluster.close());

  const lose = async (master: Machine): Promise<void> => {
    await cluster.deployed.lab.fleet.shutDown(master.serverId);
    dead.push(master);
  };
  const isDead = ({ id }: Machine): boolean => dead.some((each) => each.id === id);

  /** What a warning says of every machine that is dead. */
  const aboutTheDead = (): RegExp[] => dead.map(({ name }) => new RegExp(name));

  it(
    'has a worker come although its first master is dead, which the operation notes',
    async () => {
      const [first] = await cluster.of('master');
      await lose(first!);
      const { warnings } = await cluster.scale('worker', 'SCALE_OUT');
      for (const about of aboutTheDead()) expect(warnings).toContainEqual(expect.stringMatching(about));
    },
    WITHIN,
  );

  it(
    'grows to five masters beside the dead one, whose member leaves etcd first',
    async () => {
      await cluster.scale('master', 'SCALE_OUT', { numberOfSteps: 2 });
      const living = (await cluster.of('master')).filter((master) => !isDead(master));
      expect(living).toHaveLength(4);
      expect(await cluster.members(living[0]!)).toEqual(living.map(({ name }) => `${name} false`).sort());
    },
    WITHIN,
  );

  it(
    'has two dead masters healed by one request',
    async () => {
      const [next] = (await cluster.of('master')).filter((master) => !isDead(master));
      await lose(next!);
      await cluster.heal(dead);
      await cluster.agrees(5, 3);
      const now = await cluster.machines();
      for (const { id, serverId } of dead) expect(now.find((machine) => machine.id === id)?.serverId).not.toBe(serverId);
      await cluster.terminate();
    },
    WITHIN,
  );
});
