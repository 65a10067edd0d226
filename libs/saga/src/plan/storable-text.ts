/** The text without what PostgreSQL can't keep: NUL, and halves of characters outside the basic plane. */
export const storableText = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');
