/** What somebody may do in their project; each role includes those before it. */
export const ROLES = ['reader', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const isRole = (text: unknown): text is Role => (ROLES as readonly unknown[]).includes(text);
