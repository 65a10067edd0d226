import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { findings, goTo, openPage, signIn, startBrowser, type OpenPage } from './support/browser.js';
import { keepPicture } from './support/pictures.js';

/** Instances of a large project. */
const MANY = 10_000;
/** A statement is done in less than its time-out, on a busy machine too. */
const BATCH = 500;

let system: System;
let browser: Browser;
let opened: OpenPage;
let vnfdId: string;

beforeAll(async () => {
  [system, browser] = await Promise.all([startSystem(), startBrowser()]);
  await registerVim(system);
  vnfdId = randomUUID();
  await onboardZip(system.api, scalingPackage(vnfdId));
});
afterAll(async () => {
  await browser.close();
  await system.close();
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

/** Shows the plan, then asks for it, and sees the operation to its end. */
async function askedFor(page: Page, label: string, operation: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Show what it would do' }).click();
  await dialog.getByText('VMs that would be made:').waitFor();
  expect(await findings(page)).toEqual([]);
  await keepPicture(page, `plan-of-${operation.toLowerCase()}`);
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await page.getByRole('heading', { name: operation, level: 1 }).waitFor();
  await page.locator('h1 + .state', { hasText: 'COMPLETED' }).waitFor();
}

describe('what is asked for in the dashboard', () => {
  it('is an instantiation, then a scaling, each after its plan and seen to its end; another request needs another plan', async () => {
    const { page } = opened;
    const instance = (await createVnf(system.api, vnfdId)).split('/').at(-1)!;
    await goTo(page, `#/instances/${instance}`);
    await page.getByRole('button', { name: 'Instantiate…' }).click();
    await page.getByLabel('The request, as the API takes it').fill(JSON.stringify(scalingRequest('net0'), null, 2));
    await askedFor(page, 'Instantiate', 'INSTANTIATE');

    await goTo(page, `#/instances/${instance}`);
    await page.getByRole('heading', { name: 'VMs (4)' }).waitFor();
    await page.getByRole('button', { name: 'Scale…', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Aspect').selectOption('worker');
    await dialog.getByLabel('Steps').fill('2');
    await dialog.getByRole('button', { name: 'Show what it would do' }).click();
    await dialog.getByText('VMs that would be made:').waitFor();
    const ask = dialog.getByRole('button', { name: 'Scale', exact: true });
    expect(await ask.isEnabled()).toBe(true);
    // What is asked for now was not planned.
    await dialog.getByLabel('Aspect').selectOption('pair');
    await dialog.getByLabel('Steps').fill('1');
    expect(await ask.isDisabled()).toBe(true);
    await askedFor(page, 'Scale', 'SCALE');

    await goTo(page, `#/instances/${instance}`);
    await page.getByRole('heading', { name: 'VMs (7)' }).waitFor();
    await page.getByText('pair at level 1').waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('is a page of 10,000 instances at a time, forth and back', async () => {
    const { page } = opened;
    const instance = (await createVnf(system.api, vnfdId)).split('/').at(-1)!;
    for (let left = MANY; left > 0; left -= BATCH)
      await system.database.query(
        `INSERT INTO lcm.vnf_instance SELECT (jsonb_populate_record(kept, jsonb_build_object('id', gen_random_uuid()))).*
         FROM lcm.vnf_instance kept, generate_series(1, ${BATCH}) WHERE kept.id = $1`,
        [instance],
      );
    const rows = page.getByRole('region', { name: 'VNF instances' }).locator('tbody tr');
    await goTo(page, '#/instances');
    await rows.first().waitFor();
    const first = await rows.locator('.id').allInnerTexts();
    expect(first.length).toBeLessThanOrEqual(200);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('page 2', { exact: true }).waitFor();
    await page.locator('tbody tr', { hasText: first[0]! }).waitFor({ state: 'detached' });
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Page before' }).click();
    await page.getByText('page 1', { exact: true }).waitFor();
    await page.locator('tbody tr', { hasText: first[0]! }).waitFor();
    expect(await rows.locator('.id').allInnerTexts()).toEqual(first);
  });
});
