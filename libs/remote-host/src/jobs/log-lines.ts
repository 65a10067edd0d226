/** The last lines of standard error, or of standard output where there is none; for a message. */
export function lastLines(stderr: string, stdout: string): string {
  const text = stderr.trim() === '' ? stdout.trim() : stderr.trim();
  if (text === '') return 'it printed nothing';
  return `it printed at last:\n${text.split('\n').slice(-10).join('\n').slice(-2000)}`;
}
