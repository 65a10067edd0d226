/** What kind of first boot an image has. docs/lab-hosts.md says what each is like. */
export const VARIANTS = ['plain', 'first-boot', 'newer', 'hostile'] as const;
export type ImageVariant = (typeof VARIANTS)[number];
