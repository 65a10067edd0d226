/** Languages that a driver can be begun in. */
export const DRIVER_LANGUAGES = ['shell', 'python', 'typescript'] as const;
/** One of {@link DRIVER_LANGUAGES}. */
export type DriverLanguage = (typeof DRIVER_LANGUAGES)[number];
