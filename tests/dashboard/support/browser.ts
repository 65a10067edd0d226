import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Page } from 'playwright-core';

/** The browser of Debian's package `chromium-headless-shell`, which `./windlass test` installs. */
const PROGRAM = '/usr/bin/chromium-headless-shell';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Starts a browser for one test file. */
export const startBrowser = (): Promise<Browser> =>
  // The browser's sandbox has no user namespace for root here. The browser opens pages of this test alone.
  chromium.launch({
    executablePath: PROGRAM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    timeout: 120_000,
  });

/** A page, and its complaints: errors of its scripts, and what its policy refused. */
export interface OpenPage {
  page: Page;
  complaints: string[];
}

/**
 * Opens a page. Error answers count as no complaint: some tests are about them.
 * @throws Error where the page or one of its own files did not come, with what the browser says of it: nothing would be shown then, and nobody would know why
 */
export async function openPage(browser: Browser, url: string, colourScheme: 'light' | 'dark' = 'light'): Promise<OpenPage> {
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 }, colorScheme: colourScheme });
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const missing: string[] = [];
  const isOwn = (of: string): boolean => of.startsWith(url);
  page.on('requestfailed', (request) => {
    if (isOwn(request.url())) missing.push(`${request.url()}: ${request.failure()?.errorText ?? 'failed'}`);
  });
  page.on('response', (response) => {
    if (isOwn(response.url()) && response.status() >= 400) missing.push(`${response.url()}: ${response.status()}`);
  });
  await page.goto(url);
  if (missing.length > 0) throw new Error(`the dashboard did not come whole: ${missing.join('; ')}`);
  await page
    .getByRole('button', { name: 'Sign in' })
    .waitFor()
    .catch(async (error: unknown) => {
      throw new Error(`the dashboard does not begin: ${[...missing, ...complaints].join('; ')}; ${await page.content()}`, {
        cause: error,
      });
    });
  return { page, complaints };
}

/** Goes to a page of the dashboard, as its links do. Scripts are text, since tests have Node's types alone. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Counts clicks from now on. */
export async function countClicks(page: Page): Promise<void> {
  await page.evaluate('window.clicked = 0; document.addEventListener("click", () => window.clicked++, true)');
}

/** The number of clicks since {@link countClicks}. */
export const clicks = async (page: Page): Promise<number> => (await page.evaluate('window.clicked')) as number;

/** Signs in with a token. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).last().fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** axe's findings on the page by WCAG 2.2 A and AA and best practice, a line each. */
export async function findings(page: Page): Promise<string[]> {
  // Loaded through the debugger: the page's policy admits no other script.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResult;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
