import { afterAll, beforeAll } from 'vitest';
import { fullStreams } from './full-disk.js';
import { ownServers } from './own-servers.js';
import { Rig } from './support/rig.js';
import { SmallDisk } from './support/small-disk.js';

let rig: Rig;
let disk: SmallDisk;
const said: string[] = [];

beforeAll(async () => {
  disk = await SmallDisk.of(32);
  rig = await Rig.start({ lease: '2s', ownServers: true, natsDir: `${disk.path}/nats`, say: (line) => void said.push(line) });
});

afterAll(async () => {
  await rig.close();
  await disk.close();
});

fullStreams(
  () => rig,
  () => disk,
  said,
);
// The last suite: it stops the deployment.
ownServers(() => rig, said);
