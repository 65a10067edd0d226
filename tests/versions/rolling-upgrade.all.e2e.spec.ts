import { seconds } from '@windlass/foundation';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home } from '../support/deployed.js';
import { Load, WITH_HOOKS } from '../support/load.js';
import { Fleet, FLEET } from './support/fleet.js';
import { olderRelease, thisRelease, type Release } from './support/older-release.js';

const LEASE = seconds(10);
const CUSTOMERS = 4;
/** The time of each stack: services are replaced while stacks are being made. */
const STACK_TAKES = seconds(1);
/** How long an operation may stand still during an upgrade, a step's own work included. */
const MAY_STAND_STILL = LEASE + seconds(2);

let older: Release;
let fleet: Fleet;

beforeAll(async () => {
  older = await olderRelease();
  fleet = await Fleet.start(older, { ENGINE_LEASE: '10s', STACK_ABSENT_FOR: '1s' });
  fleet.emulator.faults.add({ kind: 'slow-stack', delayMs: STACK_TAKES, times: 'always' });
}, seconds(1_800));

afterAll(() => fleet.close());

describe('an upgrade, service by service, under load', () => {
  it('goes in the order that the guide names', () => {
    const [, ...named] =
      /tried in this one: ((?:`[a-z0-9-]+`, )+)/.exec(readFileSync(join(home, 'docs/guides/upgrade.md'), 'utf8')) ?? [];
    expect([...named.join('').matchAll(/`([a-z0-9-]+)`/g)].map(([, service]) => service)).toEqual(FLEET.slice(0, -1));
  });

  it(
    'fails no operation and has none stand still for longer than a lease and two seconds; and back',
    { timeout: seconds(900) },
    async () => {
      const load = new Load(fleet, await fleet.onboard(), CUSTOMERS, WITH_HOOKS);
      try {
        await pause(seconds(5));
        for (const [release, services] of [
          [thisRelease(), FLEET],
          [older, [...FLEET].reverse()],
        ] as const) {
          for (const service of services) {
            load.during = `${service} becomes the ${release.name} release's`;
            await fleet.replace(service, release);
            load.goesOn();
          }
          expect(new Set(Object.values(fleet.releases))).toEqual(new Set([release.name]));
          load.during = `all are the ${release.name} release's`;
          await pause(seconds(5));
        }
        await load.ended();
      } catch (error) {
        await fleet.noteProcesses();
        throw error;
      }
      console.log(load.told);
      expect(load.operations.filter(({ stoodStill }) => stoodStill > MAY_STAND_STILL)).toEqual([]);
      expect(load.operations.length).toBeGreaterThan(CUSTOMERS * 6);
      expect(fleet.emulator.inventory().flatMap((project) => project.stacks)).toEqual([]);
    },
  );
});
