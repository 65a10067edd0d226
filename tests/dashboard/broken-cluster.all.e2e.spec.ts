import { generateKeyPairSync } from 'node:crypto';
import { minutes, type JsonObject } from '@windlass/foundation';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCluster, startDeployed, type Deployed } from '../support/deployed.js';
import { killService } from '../support/killed-services.js';
import { clicks, countClicks, findings, goTo, openPage, signIn, startBrowser, type OpenPage } from './support/browser.js';
import { keepPicture } from './support/pictures.js';

/** Whose machine it is, nobody knows: as OpenSSH writes a public key (RFC 4253 6.6, RFC 8709 4). */
function strangersKey(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const told = (part: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, part.length]), part]);
  const blob = Buffer.concat([told(Buffer.from('ssh-ed25519')), told(Buffer.from(x, 'base64url'))]);
  return `ssh-ed25519 ${blob.toString('base64')}`;
}

let deployed: Deployed;
let browser: Browser;
let opened: OpenPage;
let instance: string;
let operation: string;

beforeAll(async () => {
  [deployed, browser] = await Promise.all([startDeployed(), startBrowser()]);
  const { api } = deployed;
  const { path, request } = await newCluster(deployed);
  const params = request.additionalParams as JsonObject;
  const accepted = await api.accept(`${path}/instantiate`, {
    ...request,
    additionalParams: { ...params, windlass_host_keys: { workerNode: [strangersKey()] } },
  });
  expect(await api.follow(accepted, minutes(5), () => undefined)).toMatchObject({ operationState: 'FAILED_TEMP' });
  [instance = '', operation = ''] = [path, accepted].map((each) => each.split('/').at(-1));
  opened = await openPage(browser, `${deployed.deployment.url}/ui`);
  await opened.page.setViewportSize({ width: 1280, height: 800 });
  await signIn(opened.page, deployed.deployment.secrets.token);
});
afterAll(async () => {
  await browser.close();
  await deployed.close();
});

/** The upper edge of each on the page, in their order. */
const tops = (parts: readonly Locator[]): Promise<number[]> =>
  Promise.all(parts.map(async (part) => (await part.boundingBox())?.y ?? Number.NaN));

/** Pixels of a table that are beyond its right edge. */
const cut = async (page: Page, label: string): Promise<number> =>
  (await page.evaluate(
    `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('[aria-label="${label}"]'))`,
  )) as number;

describe('a cluster whose workers show another host key than was given', () => {
  it('is told with node, line and next action, one click from the overview, without scrolling', async () => {
    const { page } = opened;
    const waits = page.getByRole('region', { name: 'Operations that wait for a decision' });
    const failed = waits.getByRole('link', { name: /^inspect-nodes failed on worker1[12] \(10\.[\d.]+\.1[12]\).*of 3 nodes$/ });
    await failed.waitFor();
    expect(await waits.innerText()).toContain('SSH host key is not the one given beforehand');
    expect(await waits.innerText()).not.toContain('SHA256:');
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'broken-cluster-overview');
    await countClicks(page);
    await failed.click();
    const frame = page.locator('.failure');
    await frame.locator('.tasks button').first().waitFor();
    expect(await clicks(page)).toBe(1);
    expect(await frame.locator('.where').innerText()).toMatch(/failed on worker1[12] \(10\.[\d.]+\.1[12]\)/);
    const [expected, got] = await frame.locator('.differs dd').allInnerTexts();
    for (const print of [expected, got]) expect(print).toMatch(/^SHA256:\S{43} \(ssh-ed25519\)$/);
    expect(expected).not.toBe(got);
    expect(await frame.innerText()).toContain('additionalParams.windlass_host_keys');
    // What leads on comes first, and it alone catches the eye.
    const buttons = frame.locator('.tasks button');
    expect(await buttons.allInnerTexts()).toEqual(['Roll back…', 'Retry…', 'Fail…']);
    const looks = await page.evaluate('[...document.querySelectorAll(".tasks button")].map((each) => each.className)');
    expect(looks).toEqual(['', 'quiet', 'quiet']);
    expect(await frame.locator('ol.first li').count()).toBe(4);
    expect(await frame.locator('p.when').innerText()).toBe('When the fingerprint is the same as "got": Roll back');
    const heading = (name: string): Locator => frame.getByRole('heading', { name });
    const order = [
      frame.locator('.where'),
      heading('Cause'),
      frame.locator('.differs'),
      heading('What to do first'),
      buttons.first(),
      page.locator('.note', { hasText: 'install_k8s_cluster.sh is not run' }),
      page.getByRole('heading', { name: 'Lanes' }),
    ];
    const places = await tops(order);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[4]).toBeLessThan(800 - 40);
    expect(await page.evaluate('scrollY')).toBe(0);
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'broken-cluster');
  });

  it('has one lane for one machine, by its name, with its address, and no timer that rises while nothing runs', async () => {
    const { page } = opened;
    const labels = await page.locator('.lane .label').allInnerTexts();
    expect(labels.filter((label) => label.includes('master10'))).toEqual([expect.stringMatching(/^master10 10\.[\d.]+\.10$/)]);
    expect(labels.filter((label) => label.startsWith('10.'))).toEqual([]);
    const plan = page.locator('.step', { hasText: 'plan of mgmt-drivers-kubernetes' }).locator('.took');
    const before = await plan.innerText();
    expect(before).toMatch(/ s$/);
    await page.waitForTimeout(2_500);
    expect(await plan.innerText()).toBe(before);
  });

  it('is told on the page of the instance, with what was made so far, and nothing else is to be asked for', async () => {
    const { page } = opened;
    await goTo(page, `#/instances/${instance}`);
    await page.getByText('waits for a decision').waitFor();
    const made = page.getByRole('region', { name: 'What the operation has made so far' });
    await made.waitFor();
    for (const name of ['master10', 'worker11', 'worker12']) expect(await made.innerText()).toContain(name);
    expect(await made.locator('tr.broken').allInnerTexts()).toEqual([expect.stringMatching(/^worker1[12] ✘ failed here/)]);
    expect(await page.getByRole('button', { name: 'Instantiate…' }).count()).toBe(0);
    expect(await page.getByText('it has no resources').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'broken-cluster-instance');
    await page.getByRole('link', { name: 'What to do first' }).click();
    await page.getByRole('heading', { name: 'What to do first' }).waitFor();
  });

  it('is told in the list of instances, and on a telephone with nothing cut', async () => {
    const { page } = opened;
    await goTo(page, '#/instances');
    await page.getByRole('link', { name: 'INSTANTIATE waits for a decision' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'broken-cluster-list');
    await page.setViewportSize({ width: 390, height: 844 });
    await keepPicture(page, 'broken-cluster-list-telephone');
    expect(await cut(page, 'VNF instances')).toBe(0);
    await goTo(page, '#/');
    await page.getByRole('link', { name: /^inspect-nodes failed on worker1[12]/ }).waitFor();
    expect(await cut(page, 'Operations that wait for a decision')).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'broken-cluster-telephone');
    await page.setViewportSize({ width: 1280, height: 800 });
    await goTo(page, `#/operations/${operation}`);
  });

  it('goes on being told after lcm-api was killed and its supervisor started it again, and is rolled back there', async () => {
    const { page } = opened;
    await page.locator('.link.live').waitFor();
    await Promise.all([page.locator('.link.broken, .link.polling').waitFor(), killService(deployed, 'lcm-api')]);
    await keepPicture(page, 'killed-lcm-api');
    await page.locator('.link.live').waitFor();
    expect(page.url()).toContain(operation);
    await page.getByRole('button', { name: 'Roll back…' }).click();
    await page.getByRole('dialog').getByText('It deletes what the operation has made: 3 VMs').waitFor();
    await keepPicture(page, 'broken-cluster-dialog');
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.locator('h1 + .state', { hasText: 'ROLLED_BACK' }).waitFor();
    await goTo(page, `#/instances/${instance}`);
    await page.getByRole('button', { name: 'Instantiate…' }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
