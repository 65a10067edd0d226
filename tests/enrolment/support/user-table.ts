import { natsAcl, type ThirdParty } from '@windlass/windlass';

/** The subjects, with wildcards, that a user may publish to and hear. */
export interface UserRow {
  user: string;
  says: string[];
  hears: string[];
}

/** A third party's service with a driver. */
export const THIRD_PARTY: ThirdParty = { name: 'my-mgmt', drivers: ['my-driver'] };

/** The users that `windlass nats-acl` prints. */
export function printedUsers(): UserRow[] {
  interface Printed {
    users: { user: string; permissions: { publish: { allow: string[] }; subscribe: { allow: string[] } } }[];
  }
  const { users } = JSON.parse(natsAcl('json', { thirdParties: [THIRD_PARTY] })) as Printed;
  return users.map(({ user, permissions: { publish, subscribe } }) => ({ user, says: publish.allow, hears: subscribe.allow }));
}

const HEAD = '| user | may say | may hear |\n|---|---|---|\n';
const cell = (subjects: readonly string[]): string => subjects.map((subject) => `\`${subject}\``).join(', ');

/** The table of docs/security.md. */
export const tableOf = (rows: readonly UserRow[]): string =>
  HEAD + rows.map(({ user, says, hears }) => `| \`${user}\` | ${cell(says)} | ${cell(hears)} |\n`).join('');

/** The lines of the table in a text: from its head to its last row. */
export function tableIn(text: string): { from: number; to: number } {
  const from = text.indexOf(HEAD);
  if (from === -1) throw new Error('docs/security.md has no table of what each user may say and hear');
  const after = text.slice(from).search(/^(?!\|)/m);
  return { from, to: after === -1 ? text.length : from + after };
}

export function rowsOf(table: string): UserRow[] {
  const subjects = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, subject]) => subject ?? '');
  return table
    .slice(HEAD.length)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, user, says, hears] = line.split('|');
      return { user: subjects(user)[0] ?? '', says: subjects(says), hears: subjects(hears) };
    });
}

/** Whether one of the patterns covers the subject. A subject with wildcards must be covered whole. */
export const covers = (patterns: readonly string[], subject: string): boolean =>
  patterns.some((pattern) => {
    const [wanted, given] = [pattern.split('.'), subject.split('.')];
    for (const [at, token] of wanted.entries()) {
      if (token === '>') return given.length > at;
      const other = given[at];
      if (other === undefined || (token === '*' ? other === '>' : other !== token)) return false;
    }
    return wanted.length === given.length;
  });
