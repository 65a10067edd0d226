import { afterAll, beforeAll } from 'vitest';
import { killedInfraDriver } from './killed-infra-driver.js';
import { killedServices } from './killed-services.js';
import { pausedWorker } from './paused-worker.js';
import { restartedPostgres } from './restarted-postgres.js';
import { Rig } from './support/rig.js';
import { wipedStream } from './wiped-stream.js';

let rig: Rig;

/** A lost step is taken over when its lease ends: with short leases these tests wait less. */
beforeAll(async () => {
  rig = await Rig.start({ lease: '2s' });
});

afterAll(() => rig.close());

killedServices(() => rig);
killedInfraDriver(() => rig);
wipedStream(() => rig);
restartedPostgres(() => rig);
pausedWorker(() => rig);
