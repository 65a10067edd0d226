import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import axios from 'axios';
import { millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { defaultOutboundRules } from '@windlass/outbound';
import { testServer } from '@windlass/outbound/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startReplica } from '../observability/support/replicas.js';
import { startSystem, type System } from '../support/system.js';
import { gate, signedPackage } from './support/packages.js';

const MAIN = join(import.meta.dirname, '../../apps/lcm-api/dist/main.js');
const TOKEN = 'token-of-the-killed-one';

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.close());

/** A replica of lcm-api as a process of its own; where it is served. */
async function startProcess(): Promise<{ process: ChildProcess; url: string }> {
  const { postgres, nats } = system.servers;
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      NATS_USER: nats.user,
      NATS_PASSWORD: nats.password,
      MASTER_KEY: system.masterKeys[0]?.toString('hex') ?? '',
      HEALTH_PORT: '0',
      LCM_PORT: '0',
      LCM_TOKEN: TOKEN,
      LCM_PACKAGE_HOSTS: '127.0.0.1',
      OUTBOUND_ALLOW: '127.0.0.0/8',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += data.toString('utf8')));
  const url = await waitUntil(
    (seen) => {
      seen(said);
      return Promise.resolve(
        /the REST API is served.*?"url":"([^"]+)"|"url":"(http:[^"]+)".*?the REST API is served/
          .exec(said)
          ?.slice(1)
          .find((found) => found),
      );
    },
    { for: 'lcm-api to be served', within: minutes(1), every: millis(100) },
  );
  return { process: child, url };
}

it('a package that is fetched goes on when lcm-api is killed in the middle of it', async () => {
  const { zip } = signedPackage();
  const begun = gate();
  const seen: (string | undefined)[] = [];
  const repository = await testServer((request, response) => {
    seen.push(request.headers.authorization);
    if (seen.length > 1) response.end(zip);
    else response.write(zip.subarray(0, 100), () => begun.open());
  });
  const killed = await startProcess();
  // Signs of life come every five seconds: what is older is of a dead one.
  const survivor = await startReplica(system, {
    user: 'survivor',
    more: {
      packages: { hosts: ['127.0.0.1'], abandonedAfter: seconds(12) },
      outbound: { rules: { ...defaultOutboundRules, allow: ['127.0.0.0/8'] } },
    },
  });
  const { data } = await survivor.api.post<{ id: string }>('/vnfpkgm/v1/vnf_packages', {});
  const path = `/vnfpkgm/v1/vnf_packages/${data.id}`;
  const accepted = await axios.post(
    `${killed.url}${path}/package_content/upload_from_uri`,
    { addressInformation: `${repository.url}/p.zip`, userName: 'me', password: 'of the repository' },
    { headers: { 'X-Auth-Token': TOKEN }, proxy: false },
  );
  expect(accepted.status).toBe(202);
  await begun.passed;
  killed.process.kill('SIGKILL');
  await once(killed.process, 'exit');
  const onboarded = await waitUntil(
    async (note) => {
      const { data: shown } = await survivor.api.get<JsonObject>(path);
      note(JSON.stringify(shown));
      return shown.onboardingState === 'UPLOADING' || shown.onboardingState === 'PROCESSING' ? undefined : shown;
    },
    { for: 'the package to be fetched by the other replica', within: minutes(2), every: millis(100) },
  );
  expect(onboarded).toMatchObject({ onboardingState: 'ONBOARDED', operationalState: 'ENABLED' });
  // With the credentials that were given to the one that died.
  expect(seen).toEqual(Array.from({ length: 2 }, () => `Basic ${Buffer.from('me:of the repository').toString('base64')}`));
  await survivor.stop();
  await repository.close();
});
