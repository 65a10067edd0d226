import type { Response } from 'express';

/** Everything that a page needs comes from here: nothing from elsewhere, nothing inline, and no other page may frame it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of each file of a page. */
export const secured = (response: Response): Response =>
  response.set({ 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' });
