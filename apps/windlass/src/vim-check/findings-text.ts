import type { CheckStatus, Finding } from '@windlass/openstack';

/** Widest that columns get; longer words push the rest. */
const WIDEST = { check: 28, subject: 36 };

/** The findings as a table, and under each that is not all right what to do. */
export function findingsText(findings: readonly Finding[]): string {
  const wide = (column: 'check' | 'subject'): number =>
    Math.min(WIDEST[column], Math.max(0, ...findings.map((finding) => finding[column].length)));
  const [first, second] = [wide('check'), wide('subject')];
  const lines = findings.flatMap(({ status, check, subject, says, todo, command }) => [
    [status.padEnd(7), check.padEnd(first), printable(subject).padEnd(second), printable(says)].join('  ').trimEnd(),
    ...(status === 'ok' || todo === undefined ? [] : [`${INDENT}-> ${printable(todo)}${command === undefined ? '' : ':'}`]),
    ...(status === 'ok' || command === undefined ? [] : [`${INDENT}   ${printable(command)}`]),
  ]);
  return [...lines, '', summary(findings)].join('\n');
}

const INDENT = ' '.repeat(9);

function summary(findings: readonly Finding[]): string {
  const count = (status: CheckStatus): number => findings.filter((finding) => finding.status === status).length;
  return `${count('failed')} failed, ${count('warning')} warnings, ${count('note')} notes, ${count('ok')} ok`;
}

/** Names come from the VIM and are anybody's: nothing in them reaches the terminal as a control. */
const printable = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?');

/** 0: ready; 1: something failed; 2: warnings only. */
export const exitStatus = (worst: CheckStatus): number => (worst === 'failed' ? 1 : worst === 'warning' ? 2 : 0);
