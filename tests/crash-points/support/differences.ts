/** Where two values differ, by path: `/vim/1/stacks/0/status: "CREATE_COMPLETE", expected "DELETE_FAILED"`. */
export function differences(found: unknown, expected: unknown, path = ''): string[] {
  if (isObject(found) && isObject(expected)) {
    const keys = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
    return keys.flatMap((key) => differences(found[key], expected[key], `${path}/${key}`));
  }
  return JSON.stringify(found) === JSON.stringify(expected) ? [] : [`${path}: ${text(found)}, expected ${text(expected)}`];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const text = (value: unknown): string => (JSON.stringify(value) as string | undefined)?.slice(0, 300) ?? 'nothing';
