import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inState, instantiate } from '../observability/support/replicas.js';
import { createVnf, onboard, registerVim, startSystem, type System } from '../support/system.js';
import { clicks, countClicks, findings, goTo, openPage, signIn, startBrowser, type OpenPage } from './support/browser.js';
import { keepPicture } from './support/pictures.js';

/** Markup, right-to-left letters with an override, and 10,000 characters: as a stranger names an instance. */
const MARKUP = `<img src=x onerror="document.title='taken'"><script>alert(1)</script>`;
const RIGHT_TO_LEFT = '\u202eevil \u05e9\u05dc\u05d5\u05dd';
/** Longer than the API takes a name today: its answer is made up. */
const LONG = 'w'.repeat(10_000);

let system: System;
let browser: Browser;
let vnfdId: unknown;
let opened: OpenPage;

beforeAll(async () => {
  [system, browser] = await Promise.all([startSystem(), startBrowser()]);
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});
afterAll(async () => {
  await browser.close();
  await system.close();
});
beforeEach(async () => {
  opened = await openPage(browser, `${system.api.defaults.baseURL ?? ''}/ui`);
});

afterEach(() => opened.page.close());

const at = (hash: string): Promise<void> => goTo(opened.page, hash);

describe('the dashboard in a browser', () => {
  it('asks who one is, says why not, and lets nobody in without', async () => {
    const { page } = opened;
    expect(await findings(page)).toEqual([]);
    await signIn(page, 'wrong');
    await page.getByText('the token or password is not valid here, or not any more').waitFor();
    await signIn(page, 'test-token');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('project default').waitFor();
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
    expect(opened.complaints).toEqual([]);
  });

  it('shows an operation that stands, the step that failed, why, and what can be done; a retry is seen to its end', async () => {
    const { page } = opened;
    const { api, emulator } = system;
    emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', reason: 'no valid host was found', times: 1 });
    const { operationId, instance } = await instantiate(api, vnfdId);
    await inState(api, operationId, 'FAILED_TEMP');
    await signIn(page, 'test-token');
    await page.getByText('1 waits for a decision').waitFor();
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'overview');
    await countClicks(page);
    await page
      .getByRole('link', { name: / failed/ })
      .first()
      .click();
    // What broke, the line that says why, and what can be done: one click from the overview.
    const failure = page.locator('.failure');
    expect(await failure.locator('.where').innerText()).toMatch(/create-stack failed on vnf-/);
    expect(await failure.locator('.line').innerText()).toContain('no valid host was found');
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    expect(await page.locator('.trouble pre').innerText()).toContain('no valid host was found');
    await page.getByText('Undoes what was done').waitFor();
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'operation-that-stands');
    await page.getByRole('button', { name: 'Retry…' }).click();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
    expect(await clicks(page)).toBeLessThanOrEqual(3);
    await page.locator('h1 + .state', { hasText: 'COMPLETED' }).waitFor();
    await page.getByText('ended', { exact: true }).waitFor();
    await at(`#/instances/${instance}`);
    await page.getByRole('heading', { name: 'VMs (1)' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'instance');
    expect(opened.complaints).toEqual([]);
  });

  it('asks for an operation only once its plan was shown, and only for what its links offer', async () => {
    const { page } = opened;
    const { instance, operationId } = await instantiate(system.api, vnfdId);
    await inState(system.api, operationId, 'COMPLETED');
    await signIn(page, 'test-token');
    await at(`#/instances/${instance}`);
    await page.getByRole('button', { name: 'Terminate…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await page.getByRole('button', { name: 'Instantiate…' }).count()).toBe(0);
    expect(await dialog.getByRole('button', { name: 'Terminate', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Show what it would do' }).click();
    await dialog.getByText('VMs that would go:').waitFor();
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'plan');
    await dialog.getByRole('button', { name: 'Terminate', exact: true }).click();
    await page.getByRole('heading', { name: 'TERMINATE', level: 1 }).waitFor();
    await page.locator('h1 + .state', { hasText: 'COMPLETED' }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it('shows hostile names as text, and stays as wide as the window', async () => {
    const { page } = opened;
    for (const vnfInstanceName of [MARKUP, RIGHT_TO_LEFT, 'v'.repeat(255), 'to be long'])
      await createVnf(system.api, vnfdId, { vnfInstanceName });
    await page.route('**/vnflcm/v1/vnf_instances', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('to be long', LONG) });
    });
    await signIn(page, 'test-token');
    await at('#/instances');
    await page.getByRole('link', { name: MARKUP }).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.locator('bdi.name', { hasText: 'evil' }).count()).toBe(1);
    expect(await page.evaluate('getComputedStyle(document.querySelector("main bdi.name")).unicodeBidi')).toMatch(/isolate/);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'hostile-names');
    await page.getByRole('link', { name: MARKUP }).click();
    await page.getByRole('heading', { name: MARKUP }).waitFor();
    expect(await page.title()).not.toBe('taken');
    for (const path of ['operations', 'packages', 'vims', 'clean-ups', 'subscriptions', 'trail']) {
      await at(`#/${path}`);
      if (path === 'operations') await page.getByRole('button', { name: 'Begun in the last day' }).click();
      if (path === 'subscriptions') await page.getByText('Nobody has subscribed.').waitFor();
      else if (path === 'clean-ups') await page.getByText('There was nothing to clean up.').waitFor();
      else await page.locator('main table').waitFor();
      expect([path, await findings(page)]).toEqual([path, []]);
    }
    expect(opened.complaints).toEqual([]);
  });
});
