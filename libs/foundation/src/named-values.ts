import { MASK } from './mask.js';
import { isSecretName } from './secret-names.js';

/** A value that is one word: what is none is looked for as a text. */
const VALUE = String.raw`([\p{L}\p{N}]{3,64})`;
/** It ends here, and is no part of a name or a path. */
const ENDS = String.raw`(?![\p{L}\p{N}]|[-./_][\p{L}\p{N}])`;
const NAME = String.raw`(?<![\w-])([A-Za-z][\w-]{1,63})`;
const OPTION = String.raw`(?<![\w-])(--[A-Za-z][\w-]{1,63})`;

/** Each begins where a name does and looks no farther than a name, a sign and a value are long: linear in the text's length. */
const NAMED: readonly RegExp[] = [
  // password=x, PASSWORD="x"
  new RegExp(`${NAME}(["']?=["']?)${VALUE}${ENDS}`, 'gu'),
  // --password=x, --password x
  new RegExp(`${OPTION}((?:=|[ \\t])["']?)${VALUE}${ENDS}`, 'gu'),
  // password: x, at the end of what is said of it
  new RegExp(`${NAME}(["']?:[ \\t]{0,4}["']?)${VALUE}(?=["']?[ \\t]{0,4}(?:$|[\\r\\n,;)}\\]]))`, 'gmu'),
  // password 'x'
  new RegExp(`${NAME}([ \\t]["'])${VALUE}(?=["'])`, 'gu'),
];

/** What an HTTP client says of itself. */
const AUTHORIZATION = /(?<![\w-])(authorization["']?[ \t]{0,2}[:=][ \t]{0,2}["']?(?:basic|bearer)[ \t]{1,4})([^\s"',]{3,})/giu;

/** Names as programs give them. Keys are left out: a `key: name` is mostly none of a lock. */
const NAMES_SECRET = /pass|pwd|pw$|secret|token|cred|psk/i;
const NO_VALUE = /^(?:true|false|null|none|nil|undefined|yes|empty|unset)$/i;

/**
 * A foreign text with the values masked that it names as secrets itself: `password=x`, `--token x`, `secret: "x"`, `Authorization: Basic x`.
 * Whether a value *is* the secret plays no part, so that the mask tells nothing of it.
 */
export function maskNamedValues(text: string): string {
  const hide = (whole: string, name: string, sign: string, value: string): string =>
    NAMES_SECRET.test(name) && isSecretName(name) && !NO_VALUE.test(value) ? `${name}${sign}${MASK}` : whole;
  return NAMED.reduce((shown, named) => shown.replaceAll(named, hide), text).replaceAll(AUTHORIZATION, `$1${MASK}`);
}
