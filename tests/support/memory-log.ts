import type { MessagingLog } from '@windlass/messaging';

/** A log that keeps its lines, for tests that read them. */
export class MemoryLog implements MessagingLog {
  readonly lines: { level: string; message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  readonly info = this.#writes('info');
  readonly warn = this.#writes('warn');
  readonly error = this.#writes('error');

  /** The field `reason` of each line with a message. */
  reasons(message: string): unknown[] {
    return this.lines.filter((line) => line.message === message).map(({ fields }) => fields.reason);
  }

  #writes(level: string) {
    return (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      void this.lines.push({ level, message, fields });
  }
}
