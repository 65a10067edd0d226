import { isDeepStrictEqual } from 'node:util';
import { seconds, TerminalError } from '@windlass/foundation';
import { DriverProcess, type Executable } from '../driver-process.js';
import type { ExecutableDriver } from '../executable-driver.js';
import { contextOf, type Example } from './example.js';
import { tried, type Tried } from './tried.js';

/** How long a process may take to end when what it was asked makes no sense. */
const ENDS_WITHIN = seconds(10);

/** Sends what no Windlass of today does. */
export async function* tryGarbage(executable: Executable, driver: ExecutableDriver, example: Example): AsyncGenerator<Tried> {
  yield await tried('garbage: a question that it does not know is answered by an error', () =>
    refused(executable, '{"windlass":1,"ask":"sing"}\n'),
  );
  yield await tried('garbage: a line that is no JSON ends it', () => refused(executable, '{"windlass":1,"ask":\n'));
  yield await tried('garbage: an end without a request ends it', () => refused(executable, ''));
  const [hook] = driver.describe().hooks;
  if (hook === undefined) return;
  yield await tried('garbage: members that it does not know change nothing', async () => {
    const context = contextOf(hook, example, driver.describe());
    const odd = { ...context, 'of a later release': [{ deep: [1, null, '€'] }] };
    if (!isDeepStrictEqual(await driver.plan(odd), await driver.plan(context)))
      throw new TerminalError('driver.contract', 'its plan was another one');
  });
}

/** An error, or an end with another status than 0, and no other answer. */
async function refused(executable: Executable, line: string): Promise<void> {
  const process = await DriverProcess.start(executable, { what: 'garbage' });
  try {
    process.sendText(line);
    process.endInput();
    const said = await process.next(ENDS_WITHIN);
    if (said !== undefined && said.say !== 'failed') throw process.unexpected(said.say);
    const end = await process.ended();
    if (said === undefined && end.code === 0)
      throw new TerminalError(
        'driver.contract',
        'it ended with status 0 and without a word: {"say":"failed",...} or another status was expected',
      );
  } finally {
    await process.dispose();
  }
}
