import { signal } from '@preact/signals';
import { ApiClient, type CredentialHeaders } from '../api/client.js';
import type { Who } from '../api/types.js';

/** Who signed in, and how the API is asked for them. */
export interface Session {
  who: Who;
  client: ApiClient;
}

/** Undefined before the first sign-in and after signing out. Credentials are in this tab's memory alone: a reload forgets them (ADR 97). */
export const session = signal<Session | undefined>(undefined);

/** The API took the credentials no more: the page stays, and asks for a sign-in over it. */
export const hasEnded = signal(false);

/** The ways of saying who one is that the API has (docs/guides/identity.md). */
export type Way = 'token' | 'bearer' | 'basic';

/** What was typed. */
export interface Typed {
  way: Way;
  user: string;
  secret: string;
}

/** The headers that carry it. */
export function headersOf({ way, user, secret }: Typed): CredentialHeaders {
  if (way === 'token') return { 'X-Auth-Token': secret };
  if (way === 'bearer') return { Authorization: `Bearer ${secret}` };
  const bytes = new TextEncoder().encode(`${user}:${secret}`);
  return { Authorization: `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}` };
}

/** Asks the API whom it takes one for. @throws Refused, Unreachable */
export async function signIn(typed: Typed): Promise<void> {
  let isIn = false;
  const client = new ApiClient(headersOf(typed), () => {
    // A try that fails ends no session, and neither does an old answer that comes after a new sign-in.
    if (isIn && session.peek()?.client === client) hasEnded.value = true;
  });
  const who = await client.get('/windlass/v1/identity');
  isIn = true;
  session.value = { who, client };
  hasEnded.value = false;
}

/** Forgets the credentials, and with them everything that was shown. */
export function signOut(): void {
  session.value = undefined;
  hasEnded.value = false;
}

/** Whether the user may change things; the API decides again. */
export const mayOperate = ({ roles }: Who): boolean => roles.some((role) => role === 'operator' || role === 'admin');

/** Whether what is for administrators of the project is shown; the API decides again. */
export const isAdmin = ({ roles }: Who): boolean => roles.includes('admin');
