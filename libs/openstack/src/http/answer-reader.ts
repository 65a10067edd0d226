import { TerminalError, isJsonObject, type Json, type JsonObject } from '@windlass/foundation';

/**
 * Reads the members of a JSON answer and says which one was not as documented.
 * Every method throws TerminalError `openstack.unexpected-answer` when the member has another type.
 */
export class AnswerReader {
  constructor(
    readonly value: JsonObject,
    private readonly where: string,
  ) {}

  /** Takes an object, and refuses anything else with the name of what was read. */
  static of(value: unknown, where: string): AnswerReader {
    if (!isJsonObject(value)) throw unexpected(where, 'an object', value);
    return new AnswerReader(value, where);
  }

  /** Reads JSON text that must be an object. */
  static parse(text: string, where: string): AnswerReader {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // Not the text itself: nobody knows what is in it.
      const kind = text.trimStart().startsWith('<') ? 'HTML or XML' : 'something else';
      throw new TerminalError(
        'openstack.unexpected-answer',
        `expected JSON at ${where}, got ${kind} of ${text.length} characters`,
      );
    }
    return AnswerReader.of(value, where);
  }

  text(name: string): string {
    const value = this.value[name];
    if (typeof value !== 'string') throw unexpected(`${this.where}.${name}`, 'a string', value);
    return value;
  }

  /** A string, or undefined where it is absent, null or empty: OpenStack writes "nothing" in all three ways. */
  textIfAny(name: string): string | undefined {
    const value = this.value[name];
    if (value === undefined || value === null || value === '') return undefined;
    return this.text(name);
  }

  numberIfAny(name: string): number | undefined {
    const value = this.value[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'number') throw unexpected(`${this.where}.${name}`, 'a number', value);
    return value;
  }

  /** A number; 0 where it is absent. */
  number(name: string): number {
    return this.numberIfAny(name) ?? 0;
  }

  /** True only for true. */
  flag(name: string): boolean {
    return this.value[name] === true;
  }

  object(name: string): AnswerReader {
    return AnswerReader.of(this.value[name], `${this.where}.${name}`);
  }

  objectIfAny(name: string): AnswerReader | undefined {
    const value = this.value[name];
    return isJsonObject(value) ? new AnswerReader(value, `${this.where}.${name}`) : undefined;
  }

  /** The objects of a list; none where it is absent or null. */
  objects(name: string): AnswerReader[] {
    return this.list(name).map((entry, index) => AnswerReader.of(entry, `${this.where}.${name}[${index}]`));
  }

  /** The strings of a list; none where it is absent or null. */
  texts(name: string): string[] {
    return this.list(name).map((entry, index) => {
      if (typeof entry !== 'string') throw unexpected(`${this.where}.${name}[${index}]`, 'a string', entry);
      return entry;
    });
  }

  private list(name: string): Json[] {
    const value = this.value[name];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw unexpected(`${this.where}.${name}`, 'a list', value);
    return value;
  }
}

function unexpected(where: string, expected: string, value: unknown): TerminalError {
  const seen = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return new TerminalError('openstack.unexpected-answer', `expected ${expected} at ${where} of the VIM's answer, got ${seen}`);
}
