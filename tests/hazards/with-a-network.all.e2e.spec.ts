import { afterAll, beforeAll } from 'vitest';
import { droppedNetwork } from './dropped-network.js';
import { everythingKilled } from './everything-killed.js';
import { pausedCoordinator } from './paused-coordinator.js';
import { Network } from './support/network.js';
import { Rig } from './support/rig.js';

let rig: Rig;
const network = new Network();

beforeAll(async () => {
  rig = await Rig.start({ lease: '2s', network });
});

afterAll(async () => {
  await rig.close();
  await network.close();
});

droppedNetwork(
  () => rig,
  () => network,
);
pausedCoordinator(() => rig);
everythingKilled(() => rig);
