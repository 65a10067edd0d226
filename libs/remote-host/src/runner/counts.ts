import { badAnswer, quoted } from '../output/said-too-much.js';

/**
 * A count that a machine tells: digits, no more than a number holds.
 * @throws TerminalError `remote.bad-answer`
 */
export function countOf(host: string, word: string | undefined): number {
  if (word === undefined || !/^\d{1,15}$/.test(word)) throw badAnswer(host, `"${quoted(word ?? '', 40)}" where a number belongs`);
  return Number(word);
}
