import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import { OpenStack } from '@windlass/openstack';
import { hashText, passwordHashOf } from '@windlass/service-kit';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessBy } from '../identity/support/access.js';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { startSystem, type System } from '../support/system.js';
import { findings, openPage, signIn, startBrowser, type OpenPage } from './support/browser.js';

const ends: (() => unknown)[] = [];

let system: System;
let browser: Browser;
let keystone: OpenStackEmulator;
/** It knows Keystone, an issuer of OAuth2 and a file of users at once. */
let replica: Replica;
let opened: OpenPage;
let jwt: string;

/** An issuer whose keys are where Windlass looks for them; a token of its own. */
async function issued(): Promise<{ jwt: string; url: string }> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] });
  const issuer = createServer((_request, response) => response.setHeader('Content-Type', 'application/json').end(keys));
  await once(issuer.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => issuer.close());
  const token = await new SignJWT({ sub: 'app', project_id: 'default', roles: ['reader'] })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('https://issuer.example')
    .setAudience('windlass')
    .setExpirationTime('15m')
    .sign(privateKey);
  return { jwt: token, url: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/` };
}

/** What `openstack token issue` prints. */
async function keystoneToken(): Promise<string> {
  const { user: username, project, password } = keystone.tenant;
  const credentials = { kind: 'password', username, project, password: new Secret(password) } as const;
  const openStack = OpenStack.open({ authUrl: keystone.url, credentials });
  const { id } = await openStack.session.token();
  openStack.close();
  return id.reveal();
}

beforeAll(async () => {
  [system, browser, keystone] = await Promise.all([startSystem(), startBrowser(), OpenStackEmulator.start({ speed: 'instant' })]);
  const folder = await mkdtemp(join(tmpdir(), 'windlass-ways-in-'));
  const users = join(folder, 'users');
  const anna = { name: 'anna', project: 'default', roles: ['operator'], password: hashText(await passwordHashOf('ünsafe pass')) };
  await writeFile(users, JSON.stringify([anna]));
  const issuer = await issued();
  jwt = issuer.jwt;
  const access = await accessBy({
    LCM_KEYSTONE_URL: keystone.url,
    LCM_KEYSTONE_USER: keystone.vnfm.user,
    LCM_KEYSTONE_PROJECT: keystone.vnfm.project,
    LCM_KEYSTONE_PASSWORD: keystone.vnfm.password,
    LCM_USERS_FILE: users,
    LCM_JWT_ISSUER: 'https://issuer.example',
    LCM_JWT_AUDIENCE: 'windlass',
    LCM_JWT_JWKS_URL: issuer.url,
  });
  replica = await startReplica(system, { more: { authentication: access.authentication } });
  ends.push(() => rm(folder, { recursive: true }));
  ends.push(() => access.close());
});
afterAll(async () => {
  await browser.close();
  await replica.stop();
  for (const end of ends) await end();
  await keystone.stop();
  await system.close();
});
beforeEach(async () => {
  opened = await openPage(browser, `${replica.url}/ui`);
});
afterEach(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.page.close();
});

const isIn = (page: Page, who: string): Promise<void> => page.locator('.who', { hasText: who }).waitFor();

describe('one signs in to the dashboard', () => {
  it('with a token of Keystone, for its project and its roles there; a reload asks again, and nothing was kept', async () => {
    const { page } = opened;
    await signIn(page, await keystoneToken());
    await isIn(page, keystone.tenant.user);
    await isIn(page, 'operator');
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
  });

  it('with an access token of OAuth2, which is refused as any other token', async () => {
    const { page } = opened;
    await signIn(page, jwt);
    await page.getByRole('alert').waitFor();
    await page.getByLabel('OAuth2').check();
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Access token').fill(jwt);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isIn(page, 'app');
    await isIn(page, 'reader');
  });

  it('with user and password, letters beyond ASCII too; a wrong one is told in the page, by no window of the browser’s own', async () => {
    const { page } = opened;
    await page.getByLabel('User and password').check();
    await page.getByLabel('User', { exact: true }).fill('anna');
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Password', { exact: true }).fill('ünsafe pass');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isIn(page, 'anna');
  });
});
