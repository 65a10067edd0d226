/** How a check ended. A note is what nobody can see from outside, with what to do. */
export type CheckStatus = 'ok' | 'note' | 'warning' | 'failed';

/** What one check says. */
export interface Finding {
  /** Stable name: `network.router`, `security-group.tcp-6443`. */
  check: string;
  /** What was looked at: a network, a quota. */
  subject: string;
  status: CheckStatus;
  says: string;
  /** What to do, in a sentence. */
  todo?: string;
  /** The command that does it, to be read before it is run. */
  command?: string;
}

type Told = Omit<Finding, 'check' | 'subject' | 'status'>;

/** Findings of one check on one thing. */
export const findingsOf = (check: string, subject: string) => {
  const made =
    (status: CheckStatus) =>
    (says: string, more: Omit<Told, 'says'> = {}): Finding => ({ check, subject, status, says, ...more });
  return { ok: made('ok'), note: made('note'), warning: made('warning'), failed: made('failed') };
};

const ORDER: readonly CheckStatus[] = ['ok', 'note', 'warning', 'failed'];

/** The worst of them; ok where there are none. */
export const worstOf = (findings: readonly Finding[]): CheckStatus =>
  ORDER[Math.max(0, ...findings.map(({ status }) => ORDER.indexOf(status)))] ?? 'ok';

/** A command line for a POSIX shell, whatever the names in it. */
export const commandLine = (...words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./<>-]+$/.test(word) ? unbracketed(word) : quoted(word))).join(' ');

/** `<name>` is for the reader to fill in; a shell would take it for a file. */
const unbracketed = (word: string): string => (/[<>]/.test(word) ? quoted(word) : word);

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
