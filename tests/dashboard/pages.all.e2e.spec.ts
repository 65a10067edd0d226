import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildCsar } from '@windlass/vnf-package';
import { inState, instantiate } from '../observability/support/replicas.js';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';
import { findings, goTo, openPage, signIn, startBrowser, type OpenPage } from './support/browser.js';
import { keepPicture } from './support/pictures.js';

const SAMPLES = join(import.meta.dirname, '../../samples');

let system: System;
let browser: Browser;
let vnfdId: unknown;
let opened: OpenPage;
let folder: string;

beforeAll(async () => {
  [system, browser, folder] = await Promise.all([startSystem(), startBrowser(), mkdtemp(join(tmpdir(), 'windlass-pages-'))]);
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});
afterAll(async () => {
  await browser.close();
  await system.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  opened = await openPage(browser, `${system.api.defaults.baseURL ?? ''}/ui`);
  await signIn(opened.page, 'test-token');
  await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
});
afterEach(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.page.close();
});

/** What a cluster of three nodes is told as. */
function clusterSaying({ unanswered }: { unanswered: string | null }): JsonObject {
  const node = (name: string, role: string, ready: string): JsonObject => ({
    name,
    role,
    ready,
    reason: ready === 'True' ? null : 'Kubelet stopped posting node status.',
    since: null,
    schedulable: name !== 'worker2',
    version: 'v1.34.1',
    runtime: 'containerd://2.1',
    os: 'Ubuntu',
    addresses: [`10.10.9.${name.at(-1) ?? ''}`],
  });
  const nodes = [node('master1', 'master', 'True'), node('worker2', 'worker', 'True'), node('worker3', 'worker', 'Unknown')];
  const now = new Date().toISOString();
  const vim = { id: 'v', name: 'kubernetes_vim', url: 'https://10.10.9.80:16443' };
  return { vim, askedAt: now, unanswered, seenAt: now, version: 'v1.34.1', addressHolder: 'master1', nodes, hasMore: false };
}

/** Without findings in both themes. */
async function isClean(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await findings(page)]).toEqual([colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

const packages = async (): Promise<JsonObject[]> => (await system.api.get<JsonObject[]>('/vnfpkgm/v1/vnf_packages')).data;

async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(${JSON.stringify(bytes.toString('base64'))}), (c) => c.charCodeAt(0))], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer });
}

describe('the page of packages', () => {
  it('takes a chosen package, and shows its flavours, images and files', async () => {
    const { page } = opened;
    const file = join(folder, 'kubernetes.zip');
    await buildCsar(join(SAMPLES, 'kubernetes'), file);
    await goTo(page, '#/packages');
    await page.getByLabel(/Upload a package/).setInputFiles(file);
    await page.getByText('is onboarded.').waitFor();
    await isClean(page);
    await keepPicture(page, 'package-uploaded');
    await page.locator('.drop').getByRole('link').click();
    for (const flavour of ['complex', 'podaffinity', 'simple'])
      await page.getByRole('heading', { name: `Flavour ${flavour}` }).waitFor();
    await page.getByRole('rowheader', { name: 'masterNode', exact: true }).first().waitFor();
    await page.getByText('Scripts/', { exact: false }).first().waitFor();
    await isClean(page);
    await keepPicture(page, 'package');
  });

  it('takes a dropped one, and says what stands in the way of a broken one, which can be removed', async () => {
    const { page } = opened;
    const before = (await packages()).length;
    await goTo(page, '#/packages');
    await page.getByRole('heading', { name: 'Packages' }).waitFor();
    await drop(page, `<b>${'n'.repeat(300)}.zip`, Buffer.from('this is no zip'));
    const said = page.locator('.drop .obstacle, .drop .problem').first();
    await said.waitFor();
    expect(await said.innerText()).toMatch(/zip/i);
    await isClean(page);
    await keepPicture(page, 'package-refused');
    const refused = page.locator('.drop').getByRole('link');
    if ((await refused.count()) > 0) {
      await refused.click();
      await page.getByRole('button', { name: 'Remove this package' }).click();
      await page.getByRole('heading', { name: 'Packages' }).waitFor();
    }
    expect((await packages()).length).toBe(before);
  });

  it('leaves nothing of an upload that is stopped', async () => {
    const { page } = opened;
    const before = (await packages()).length;
    await goTo(page, '#/packages');
    // It is on its way for as long as the test wants.
    await page.route('**/package_content', () => undefined);
    await page
      .getByLabel(/Upload a package/)
      .setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer: Buffer.alloc(1_000) });
    await page.getByRole('button', { name: 'Stop the upload' }).click();
    await page.getByText('the upload was stopped', { exact: true }).waitFor();
    expect((await packages()).length).toBe(before);
  });
});

describe('the page of an operation', () => {
  it('marks the critical path, and leads back through what happened and was rolled back', async () => {
    const { page } = opened;
    system.emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', reason: 'no valid host was found', times: 1 });
    const { operationId } = await instantiate(system.api, vnfdId);
    await inState(system.api, operationId, 'FAILED_TEMP');
    await goTo(page, `#/operations/${operationId}`);
    await page.locator('.bar.failed.critical').waitFor();
    await page.getByText(/Critical path: \d steps/).waitFor();
    const slider = page.getByRole('slider', { name: 'Shown' });
    await page.getByRole('button', { name: 'One event back' }).click();
    await page.getByText(/as it was at/).waitFor();
    expect(await page.locator('.step .stands.failed').count()).toBe(0);
    await page.locator('.step .stands.running').first().waitFor();
    await isClean(page);
    await keepPicture(page, 'as-it-was');
    await slider.focus();
    await page.keyboard.press('Home');
    expect(await page.locator('.step .stands.waiting').count()).toBe(await page.locator('.step').count());
    await page.getByRole('button', { name: 'Now' }).click();
    await page.locator('.step .stands.failed').waitFor();
    await page.getByRole('button', { name: 'Roll back…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.locator('h1 + .state', { hasText: 'ROLLED_BACK' }).waitFor();
    expect(await page.locator('.bar.critical:not(.sample)').count()).toBe(0);
    await page.locator('.step .stands.undone').first().waitFor();
  });

  it('folds a night in which nothing happened', async () => {
    const { page } = opened;
    const { operationId } = await instantiate(system.api, vnfdId);
    await inState(system.api, operationId, 'COMPLETED');
    const { data: operation } = await system.api.get<JsonObject>(`/windlass/v1/operations/${operationId}`);
    const { data: steps } = await system.api.get<JsonObject[]>(`/windlass/v1/operations/${operationId}/steps`);
    const later = (at: unknown): string => new Date(Date.parse(String(at)) + 8 * 3_600_000).toISOString();
    // The last steps came in the morning.
    const told = steps.map((step, n) =>
      n < steps.length - 2 ? step : { ...step, startedAt: later(step.startedAt), endedAt: later(step.endedAt) },
    );
    const events = [
      { event: 'operation', data: operation },
      ...told.map((data) => ({ event: 'step', data })),
      { event: 'end', data: {} },
    ];
    const body = events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('');
    await page.route('**/events', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await goTo(page, `#/operations/${operationId}`);
    await page.getByText(/⋯ (7 h 59|8 h 0) min/).waitFor();
    const widest = 'Math.max(...[...document.querySelectorAll(".lane .bar")].map((bar) => bar.getBoundingClientRect().width))';
    expect(await page.evaluate(widest)).toBeGreaterThan(50);
    await isClean(page);
    await keepPicture(page, 'folded-night');
    await page.getByLabel('long waits folded').uncheck();
    expect(await page.evaluate(widest)).toBeLessThan(50);
  });
});

describe('pages of what is around', () => {
  it('look at a VIM, and at what lies in it against the record', async () => {
    const { page } = opened;
    await goTo(page, '#/vims');
    await page.getByRole('button', { name: /^Look at/ }).click();
    await page.getByRole('region', { name: 'What the check found' }).waitFor();
    expect(await page.getByRole('region', { name: 'What the check found' }).locator('tbody tr').count()).toBeGreaterThan(2);
    await isClean(page);
    await keepPicture(page, 'vim-check');
    await goTo(page, '#/clean-ups');
    await page.getByRole('button', { name: 'Compare now' }).click();
    await page.getByText(/^Compared /).waitFor();
    await isClean(page);
    await keepPicture(page, 'clean-ups');
  });

  it('tell of certificates that run out on the overview and with their cluster, and of its nodes, also where it says nothing any more', async () => {
    const { page } = opened;
    const { instance, operationId } = await instantiate(system.api, vnfdId);
    await inState(system.api, operationId, 'COMPLETED');
    const { data } = await system.api.get<JsonObject>(`/vnflcm/v1/vnf_instances/${instance}`);
    const info = data.instantiatedVnfInfo as JsonObject;
    const endsAt = new Date(Date.now() + 5.5 * 86_400_000).toISOString();
    const certificates = [{ master: '10.10.0.3', name: 'apiserver.crt', endsAt }];
    const seen = {
      ...data,
      instantiatedVnfInfo: { ...info, metadata: { windlassCertificates: { lookedAt: endsAt, certificates } } },
    };
    // No cluster is made for it: what one is told of is put into the answers.
    await page.route(`**/vnf_instances/${instance}`, (route) => route.fulfill({ json: seen }));
    let cluster: JsonObject = clusterSaying({ unanswered: null });
    await page.route(`**/vnf_instances/${instance}/cluster`, (route) => route.fulfill({ json: cluster }));
    await page.route('**/vnf_instances?*fields*', async (route) => {
      const answer = await route.fetch();
      expect([answer.status(), await answer.json()]).toEqual([200, []]);
      await route.fulfill({ json: [seen] });
    });
    await goTo(page, '#/vims');
    await goTo(page, '#/');
    await page.getByText('5 days left').waitFor();
    await page.getByRole('heading', { name: 'Services with management drivers' }).waitFor();
    await isClean(page);
    await keepPicture(page, 'overview-certificates');
    await goTo(page, `#/instances/${instance}`);
    await page.getByText('5 days left').waitFor();
    await page.getByText('None is kept').waitFor();
    await page.getByText('2 of 3 nodes Ready').waitFor();
    const nodes = page.getByRole('region', { name: 'Nodes of the cluster' });
    expect(await nodes.getByRole('row', { name: /master1 holds the address/ }).innerText()).toMatch(/master\s+Ready\s+v1.34.1/);
    expect(await nodes.getByRole('row', { name: /worker3/ }).innerText()).toContain('stopped posting');
    await nodes.getByRole('row', { name: /no node/ }).waitFor();
    await isClean(page);
    await keepPicture(page, 'cluster');
    cluster = clusterSaying({ unanswered: 'its API does not answer (ECONNREFUSED)' });
    await page.getByRole('button', { name: 'Look again' }).first().click();
    await page.getByText('The cluster says nothing').waitFor();
    await page.getByText(/Below stands what it said/).waitFor();
    await isClean(page);
    await keepPicture(page, 'cluster-that-says-nothing');
  });
});
