import { afterAll, beforeAll } from 'vitest';
import { startStandInNfvo, type StandInNfvo } from '../support/standin-nfvo.js';
import { awaitedGrant, GRANT_WITHIN } from './awaited-grant.js';
import { Rig } from './support/rig.js';

let nfvo: StandInNfvo;
let rig: Rig;

/** The limit for a grant is many times as long as a coordinator takes to come back, also on a busy machine. */
beforeAll(async () => {
  nfvo = await startStandInNfvo();
  rig = await Rig.start({
    lease: '2s',
    environment: (service) =>
      service === 'saga-coordinator'
        ? {
            NFVO_URL: nfvo.url,
            WINDLASS_PUBLIC_URL: 'http://vnfm.example',
            NFVO_GRANT_WITHIN: `${GRANT_WITHIN / 1_000}s`,
            NFVO_ASK_AGAIN_EVERY: '200ms',
          }
        : ({} as Record<string, string>),
  });
});

afterAll(async () => {
  await rig.close();
  await nfvo.close();
});

awaitedGrant(
  () => rig,
  () => nfvo,
);
