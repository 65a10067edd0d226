import { userInfo } from 'node:os';

/** Who types a command, for the record: the name of the user, or its number where the machine has no name for it, as in a container that runs as its caller. */
export function personsName(look: () => { username: string } = userInfo): string {
  try {
    return look().username;
  } catch {
    return `user ${process.getuid?.() ?? 'without a number'}`;
  }
}
