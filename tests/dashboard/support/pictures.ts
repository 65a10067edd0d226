import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const ROOT = join(import.meta.dirname, '../../..');

/** The folder, ignored by git, in which pictures of pages are kept as evidence. */
const FOLDER = join(ROOT, 'test-results/dashboard');

/** The pictures of the documentation: `UPDATE_PICTURES=1` writes them there, too. */
const SHOWN: readonly string[] = ['operation-that-stands', 'plan'];

/** Keeps a picture of the window. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  if (process.env.UPDATE_PICTURES !== '1' || !SHOWN.includes(name)) return;
  mkdirSync(join(ROOT, 'docs/pictures'), { recursive: true });
  copyFileSync(path, join(ROOT, 'docs/pictures', `${name}.png`));
}
