/**
 * JSON with the members of objects in the order of their names and no white space: both ends of a message get the same text. For what our messages
 * hold, texts and whole numbers, this is RFC 8785. Members that are undefined are left out.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
