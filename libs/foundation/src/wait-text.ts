/** What a step that does not run yet waits for, as the REST API tells it (docs/contracts/rest-extensions.md). */
export type ToldWait =
  | { for: 'step'; id: string }
  | { for: 'limit'; key: string }
  | { for: 'group'; limit: number }
  /** RFC 3339. */
  | { for: 'time'; until: string }
  | { for: 'worker'; service: string };

/** As much of a step as the words need. */
export interface WaitingStep {
  action: string;
  version: number;
  waitsFor: readonly ToldWait[];
}

/**
 * Why a step does not run, in one line: the command line's tree and the dashboard have the same words. Empty for one that waits for nothing.
 * Pure, and without anything of Node's: it runs in browsers, too.
 * @param clock how a time is written
 */
export function waitText({ waitsFor, action, version }: WaitingStep, clock: (time: string) => string): string {
  const [first] = waitsFor;
  if (first === undefined) return '';
  const more = waitsFor.length > 1 ? ` and ${waitsFor.length - 1} more` : '';
  switch (first.for) {
    case 'step':
      return `after ${first.id}${more}`;
    case 'limit':
      return `waits for a place: ${first.key}`;
    case 'group':
      return `waits for one of ${first.limit} places`;
    case 'time':
      return `again at ${clock(first.until)}`;
    case 'worker':
      return `waits for a worker of ${first.service} that has ${action}@${version}`;
  }
}
