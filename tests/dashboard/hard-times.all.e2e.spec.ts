import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inState, instantiate, startReplica, type Replica } from '../observability/support/replicas.js';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';
import { findings, goTo, openPage, signIn, startBrowser, type OpenPage } from './support/browser.js';
import { keepPicture } from './support/pictures.js';

let system: System;
let browser: Browser;
let vnfdId: unknown;
/** The lcm-api that the browser asks: it dies, and another comes in its place. */
let replica: Replica;
let opened: OpenPage;

const portOf = ({ url }: Replica): number => Number(new URL(url).port);
const open = async (colours: 'light' | 'dark' = 'light'): Promise<Page> => {
  opened = await openPage(browser, `${replica.url}/ui`, colours);
  return opened.page;
};
const standing = async (): Promise<{ operationId: string; instance: string }> => {
  system.emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', reason: 'no valid host was found', times: 1 });
  const begun = await instantiate(system.api, vnfdId);
  await inState(system.api, begun.operationId, 'FAILED_TEMP');
  return begun;
};

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
  replica = await startReplica(system, { user: 'anna' });
});
afterEach(async () => {
  await opened.page.close();
  await replica.stop();
});

describe('the dashboard in hard times', () => {
  it('is there again after lcm-api was, and tells what happened meanwhile: a roll-back that was asked for elsewhere', async () => {
    const { operationId } = await standing();
    const page = await open();
    await signIn(page, replica.token);
    await goTo(page, `#/operations/${operationId}`);
    await page.locator('h1 + .state', { hasText: 'FAILED_TEMP' }).waitFor();
    const port = portOf(replica);
    await replica.stop();
    await page.getByText(/connection lost|no live events/).waitFor();
    await keepPicture(page, 'connection-lost');
    expect((await system.api.post(`/vnflcm/v1/vnf_lcm_op_occs/${operationId}/rollback`, {})).status).toBe(202);
    await inState(system.api, operationId, 'ROLLED_BACK');
    replica = await startReplica(system, { user: 'anna', port });
    await page.locator('h1 + .state', { hasText: 'ROLLED_BACK' }).waitFor();
    await page.locator('.step .stands.undone').first().waitFor();
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'rolled-back');
    expect(opened.complaints).toEqual([]);
  });

  it('asks over the page for a sign-in when the token ends, and goes on where one was', async () => {
    const { operationId } = await standing();
    const page = await open();
    await signIn(page, replica.token);
    await goTo(page, `#/operations/${operationId}`);
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    const port = portOf(replica);
    await replica.stop();
    replica = await startReplica(system, { user: 'berta', port });
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'session-ended');
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel('Token', { exact: true }).last().fill(replica.token);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('berta · project default').waitFor();
    expect(page.url()).toContain(operationId);
    await page.getByRole('button', { name: 'Roll back…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.locator('h1 + .state', { hasText: 'ROLLED_BACK' }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it('shows a tenant nothing of another’s, and a reader nothing to ask for', async () => {
    const { operationId, instance } = await standing();
    const port = portOf(replica);
    await replica.stop();
    replica = await startReplica(system, { user: 'stranger', tenant: 'elsewhere', port });
    const page = await open();
    await signIn(page, replica.token);
    await page.getByText('0 wait for a decision').waitFor();
    await goTo(page, '#/instances');
    await page.getByText('No VNF instance yet').waitFor();
    for (const hash of [`#/instances/${instance}`, `#/operations/${operationId}`]) {
      await goTo(page, hash);
      await page.getByRole('alert').first().waitFor();
      expect(await page.locator('main').innerText()).not.toMatch(/INSTANTIATE|VDU1/);
    }
    await page.close();
    await replica.stop();
    replica = await startReplica(system, { user: 'reader', roles: ['reader'], port });
    const readers = await open();
    await signIn(readers, replica.token);
    await goTo(readers, `#/operations/${operationId}`);
    await readers.getByRole('heading', { name: 'Why' }).waitFor();
    expect(await readers.getByRole('button', { name: 'Retry…' }).count()).toBe(0);
    await goTo(readers, '#/trail');
    await readers.getByText('Not for you').waitFor();
    expect((await system.api.post(`/vnflcm/v1/vnf_lcm_op_occs/${operationId}/rollback`, {})).status).toBe(202);
  });

  it('scrolls through 20,000 steps with some dozens drawn, is dark where the system is, and led by keys alone', async () => {
    const { operationId } = await instantiate(system.api, vnfdId);
    await inState(system.api, operationId, 'COMPLETED');
    const [step] = (await system.api.get<object[]>(`/windlass/v1/operations/${operationId}/steps`)).data;
    const operation = (await system.api.get<object>(`/windlass/v1/operations/${operationId}`)).data;
    const many = Array.from({ length: 20_000 }, (_, n) => ({
      event: 'step',
      data: { ...step, operationId, id: `step-${n}`, target: `node${n % 5_000}`, attempt: n % 7 },
    }));
    const events = [{ event: 'operation', data: operation }, ...many, { event: 'end', data: { operationState: 'COMPLETED' } }];
    const body = events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('');
    const page = await open('dark');
    await page.route('**/events', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await page.getByLabel('Token', { exact: true }).last().focus();
    await page.keyboard.type(replica.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await goTo(page, `#/operations/${operationId}`);
    await page.getByRole('heading', { name: 'Steps (20000)' }).waitFor();
    const rows = page.getByRole('region', { name: 'Steps, as a tree' });
    await rows.focus();
    await page.keyboard.press('End');
    await rows.getByText('node4999').last().waitFor();
    expect(await rows.locator('li').count()).toBeLessThan(60);
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'twenty-thousand-steps-dark');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
    await page.locator('.inspector dd', { hasText: /^step-199\d\d$/ }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
