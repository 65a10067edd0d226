import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Where pictures of pages are kept as evidence; git does not look there. */
const FOLDER = join(import.meta.dirname, '../../../test-results/dashboard');

/** Keeps a picture of what is in the window. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
