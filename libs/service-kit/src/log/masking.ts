import { masked, maskUrlUser, MASK, Secret, SecretTexts, WindlassError } from '@windlass/foundation';

/** Values shorter than this are not looked for in texts: they would match by chance everywhere. Such a secret protects nothing anyway. */
const MIN_LENGTH = 4;

/** Texts that must not appear in any log line, as they are and as JSON within a text escapes them. */
export class ConcealedValues {
  readonly #values = new Set<string>();
  #texts: SecretTexts | undefined;

  add(secret: Secret): void {
    const value = secret.reveal();
    if (value.length < MIN_LENGTH) return;
    this.#texts = undefined;
    this.#values.add(value);
    this.#values.add(JSON.stringify(value).slice(1, -1));
    // A password in a URL is written escaped there, and may be logged apart from it.
    const password = URL.canParse(value) ? new URL(value).password : '';
    if (password.length >= MIN_LENGTH) this.#values.add(password).add(decodeURIComponent(password));
  }

  /** The text with every such value masked, and the user parts of URLs. */
  conceal(text: string): string {
    this.#texts ??= new SecretTexts(this.#values);
    return maskUrlUser(this.#texts.mask(text));
  }
}

/** The deepest that errors are followed through their causes. */
const MAX_CAUSE_DEPTH = 5;

/** Makes log fields fit to be shown. */
class LogFieldFormatter {
  readonly #above: object[] = [];

  constructor(private readonly conceal: (text: string) => string) {}

  /** A value as it is logged: errors as data, binary by its size, cycles as a word, every text concealed. */
  value(value: unknown, causes = 0): unknown {
    if (typeof value === 'string') return this.conceal(value);
    if (value instanceof Secret) return MASK;
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Date) return value.toISOString();
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (this.#above.includes(value)) return '[circular]';
    this.#above.push(value);
    try {
      if (value instanceof Error) return this.#error(value, causes);
      if (Array.isArray(value)) return value.map((entry) => this.value(entry));
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.value(member)]));
    } finally {
      this.#above.pop();
    }
  }

  #error(error: Error, causes: number): Record<string, unknown> {
    const { cause } = error;
    return {
      name: error.name,
      ...(error instanceof WindlassError ? { code: error.code, status: error.status } : codeOf(error)),
      message: this.conceal(error.message),
      ...(error.stack === undefined ? {} : { stack: this.conceal(error.stack) }),
      ...(cause === undefined || causes >= MAX_CAUSE_DEPTH ? {} : { cause: this.value(cause, causes + 1) }),
    };
  }
}

const codeOf = (error: Error): Record<string, unknown> =>
  'code' in error && typeof error.code === 'string' ? { code: error.code } : {};

/** The fields of a log line: secrets masked by the names of their members, and by value in every text. */
export const shownFields = (fields: Readonly<Record<string, unknown>>, concealed: ConcealedValues): Record<string, unknown> => {
  const formatter = new LogFieldFormatter((text) => concealed.conceal(text));
  return masked(formatter.value(fields) as Record<string, unknown>);
};
