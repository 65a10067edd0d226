/** Characters that JSON leaves as they are, and that YAML takes for ends of lines or does not allow. */
const NOT_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * Ansible reads no template in what this tag marks. The tag stands only before a mapping or a list of texts: since ansible-core 2.19 a single text
 * behind it is read as if it had no quotes, and `0123` would be a number; before that, a list within a marked mapping is empty.
 */
export const UNSAFE = '!unsafe';

/** A stranger's text in YAML. YAML reads it as that text, whatever it looks like. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(NOT_YAML, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
