/** JSON writes them as they are; to YAML they are ends of lines, or none of its characters. */
const NOT_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * What is below it is no template to Ansible, whatever it holds. It stands before a mapping or a list of texts alone: since ansible-core 2.19 a
 * single text behind it is read as if it had no quotes, and `0123` is a number then; before that, a list within a marked mapping is empty.
 */
export const UNSAFE = '!unsafe';

/** A text of others in YAML: it stays that text, whatever else it looks like. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(NOT_YAML, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
