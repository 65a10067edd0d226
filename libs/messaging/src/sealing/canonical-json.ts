/**
 * JSON with the members of objects in the order of their names and no white space: the same text at both ends of a message. It is RFC 8785 for
 * what our messages hold, texts and whole numbers. Members that are undefined are left out.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
