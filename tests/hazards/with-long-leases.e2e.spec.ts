import { afterAll, beforeAll, describe } from 'vitest';
import { openStackVim } from '../support/openstack-vim.js';
import { cancelled } from './cancel.js';
import { failingCreate } from './failing-create.js';
import { gracefulStop } from './graceful-stop.js';
import { Eavesdropper, secretLeak } from './secret-leak.js';
import { Rig } from './support/rig.js';
import { twoCoordinators } from './two-coordinators.js';

let rig: Rig;

/** No test here may wait for the end of a lease: a lease is as long as a whole test. */
beforeAll(async () => {
  rig = await Rig.start({ lease: '60s' });
});

afterAll(() => rig.close());

gracefulStop(() => rig);

describe('overheard:', () => {
  let ears: Eavesdropper;

  // After `gracefulStop`: for the server, a client that hears everything also wants the messages of a process that is gone, until its pulls expire.
  beforeAll(async () => {
    ears = await Eavesdropper.listen(rig.nats);
    await rig.api.post('/v1.0/vims', { vim: openStackVim('overheard', rig.emulator) });
  });

  afterAll(() => ears.close());

  failingCreate(() => rig);
  cancelled(() => rig);
  twoCoordinators(() => rig);
  secretLeak(
    () => rig,
    () => ears,
  );
});
