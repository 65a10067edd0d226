/** Where the dashboard of a demo is, and how one gets in. */
export const dashboardLines = ({ url, tokenFile }: { url: string; tokenFile: string }): string[] => [
  `the dashboard, in a browser: ${url}/ui`,
  `  sign in with the token that lies in ${tokenFile}`,
];

/** What a demo shows, and how it is told to stop. */
interface Shown {
  say: (line: string) => void;
  signal: AbortSignal;
  stopSignalled: Promise<void>;
}

/**
 * Does what the demo shows. Where that fails it stands until Ctrl-C: whoever watches sees in the dashboard why, and may decide there.
 * @throws what the work threw, then
 */
export async function watched(work: () => Promise<void>, { say, signal, stopSignalled }: Shown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (signal.aborted) throw error;
    say(`  ${error instanceof Error ? error.message : String(error)}`);
    say('== the dashboard says why, and what can be done; the demo ends with Ctrl-C ==');
    await stopSignalled;
    throw error;
  }
}
