import { natsAcl, type ThirdParty } from '@windlass/windlass';

/** What a user may say and hear: subjects with wildcards. */
export interface UserRow {
  user: string;
  says: string[];
  hears: string[];
}

/** As any third party's service with a driver has it. */
export const THIRD_PARTY: ThirdParty = { name: 'my-mgmt', drivers: ['my-driver'] };

/** Every user that the command prints. */
export function printedUsers(): UserRow[] {
  interface Printed {
    users: { user: string; permissions: { publish: { allow: string[] }; subscribe: { allow: string[] } } }[];
  }
  const { users } = JSON.parse(natsAcl('json', { thirdParties: [THIRD_PARTY] })) as Printed;
  return users.map(({ user, permissions: { publish, subscribe } }) => ({ user, says: publish.allow, hears: subscribe.allow }));
}

const HEAD = '| user | may say | may hear |\n|---|---|---|\n';
const cell = (subjects: readonly string[]): string => subjects.map((subject) => `\`${subject}\``).join(', ');

/** The table as it stands in docs/security.md. */
export const tableOf = (rows: readonly UserRow[]): string =>
  HEAD + rows.map(({ user, says, hears }) => `| \`${user}\` | ${cell(says)} | ${cell(hears)} |\n`).join('');

/** Where the table stands in the text: from its head to the first line that is none of it. */
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

/** Whether one of the patterns covers the subject, which may itself hold wildcards: then all that it could mean. */
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
