import { afterAll, beforeAll } from 'vitest';
import { fullDisk } from './full-disk.js';
import { INFRA_LIMIT, parallelOperations } from './parallel-operations.js';
import { MAX_LOSSES, poison } from './poison.js';
import { Rig } from './support/rig.js';
import { SmallDisk } from './support/small-disk.js';

let rig: Rig;
let disk: SmallDisk;

/** Three losses end a step here, and a late renewal on a busy machine is a loss: leases are as long as in chaos. */
beforeAll(async () => {
  disk = await SmallDisk.of(320);
  rig = await Rig.start({
    lease: '5s',
    environment: () => ({ ENGINE_LIMIT_SERVICE: `infra-driver=${INFRA_LIMIT}`, ENGINE_MAX_LOSSES: String(MAX_LOSSES) }),
    postgresDir: `${disk.path}/postgres`,
  });
});

afterAll(async () => {
  await rig.close();
  await disk.close();
});

parallelOperations(() => rig);
poison(() => rig);
fullDisk(
  () => rig,
  () => disk,
);
