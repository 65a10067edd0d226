import { millis, seconds } from '@windlass/foundation';
import type { ShownPlan } from '@windlass/lcm-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everything, startStandInNfvo, type StandInNfvo } from '../support/standin-nfvo.js';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';
import { linesOf, planPath, ranBy } from './support/plan-of.js';

let nfvo: StandInNfvo;
let system: System;

beforeAll(async () => {
  nfvo = await startStandInNfvo();
  nfvo.decide(everything);
  system = await startSystem({
    nfvo: { url: nfvo.url, publicUrl: 'http://vnfm.example', grantWithin: seconds(20), askAgainEvery: millis(100) },
  });
  await registerVim(system);
});

afterAll(async () => {
  await system.close();
  await nfvo.close();
});

it('a plan has the steps that ask an NFVO where the coordinators have one, which is not asked for it', async () => {
  const vnf = await createVnf(system.api, (await onboard(system.api, 'simple-vm')).vnfdId);
  const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
  const { data } = await system.api.post<ShownPlan>(planPath(`${vnf}/instantiate`), request);
  expect(nfvo.asked).toEqual([]);
  expect(data.warnings).toEqual([]);
  expect(
    linesOf(data)
      .slice(0, 2)
      .map((line) => line.split(' ')[0]),
  ).toEqual(['request-grant', 'await-grant']);
  const accepted = await system.api.post(`${vnf}/instantiate`, request);
  expect(await atRest(system.api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
  expect(linesOf(data)).toEqual(await ranBy(system, accepted));
});
