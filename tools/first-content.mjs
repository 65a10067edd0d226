// How long the dashboard takes until something is seen: `node tools/first-content.mjs http://127.0.0.1:9890/ui ~/.cache/windlass/data/secrets/token`.
// Each run is a browser that has kept nothing. Milliseconds, from the navigation to the first paint with content (the sign-in), and from the click on
// "Sign in" to the overview with its VIMs. Needs chromium-headless-shell, which `./windlass test` installs.
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { chromium } from 'playwright-core';

const RUNS = 15;

const [url, tokenFile] = process.argv.slice(2);
if (url === undefined || tokenFile === undefined) {
  console.error('usage: node tools/first-content.mjs URL TOKEN_FILE');
  process.exit(64);
}
const token = readFileSync(tokenFile, 'utf8').trim();
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  // As tests/dashboard/support/browser.ts: root has no user namespace of the browser's sandbox here.
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});

async function run() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const paint = await page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntriesByName('first-contentful-paint')[0]?.startTime)).observe({ type: 'paint', buffered: true });
  })`);
  const loaded = await page.evaluate(
    `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type)).reduce((sum, { transferSize }) => sum + transferSize, 0)`,
  );
  await page.getByLabel('Token', { exact: true }).last().fill(token);
  // Within the page: the way to the browser and back is no time of the dashboard's.
  const overview = await page.evaluate(`new Promise((resolve) => {
    const begun = performance.now();
    const seen = new MutationObserver(() => {
      if (document.querySelector('[aria-label="VIMs"] tbody tr') !== null) resolve(performance.now() - begun);
    });
    seen.observe(document.body, { childList: true, subtree: true });
    [...document.querySelectorAll('button')].find((button) => button.textContent === 'Sign in').click();
  })`);
  await context.close();
  return { paint, overview, loaded };
}

const runs = [];
for (let n = 0; n < RUNS; n++) runs.push(await run());
await browser.close();

const middle = (name) => {
  const sorted = runs.map((each) => Math.round(each[name])).sort((one, other) => one - other);
  return { median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], most: sorted.at(-1) };
};
const load = loadavg()[0].toFixed(1);
console.log(
  JSON.stringify(
    { url, runs: RUNS, load, firstContent: middle('paint'), overview: middle('overview'), bytes: middle('loaded') },
    null,
    2,
  ),
);
