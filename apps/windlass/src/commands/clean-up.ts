import type { JsonObject } from '@windlass/foundation';
import { Command } from 'commander';
import { text } from '../client/text.js';
import type { Surroundings } from '../surroundings/config.js';
import type { CleanUp } from './audit-text.js';
import { print } from './follow-task.js';
import { questionOn, type Question } from './question.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

const CLEAN_UPS = '/windlass/v1/clean_ups';

type ShownCleanUp = JsonObject & CleanUp & { vimId: string | null; retryAt: string | null };

/** `./windlass vnf clean-up`: what is still to be removed from VIMs, and what never can be. */
export function cleanUpCommand(where: Surroundings, question: Question | undefined = questionOn(process)): Command {
  const command = new Command('clean-up').description('what failed operations left, and is removed by itself');
  withTarget(command.command('list').description('the clean-ups, a line each, the newest first')).action(
    async (options: TargetOptions) => {
      for (const cleanUp of await (await apiOf(where, options)).get<ShownCleanUp[]>(CLEAN_UPS)) print(cleanUpLine(cleanUp));
    },
  );
  withTarget(
    command
      .command('give-up <id>')
      .description('end a clean-up that can never be done: what it was to remove stays in its VIM, and holds nothing any more')
      .option('--yes', 'on a terminal: do not ask first'),
  ).action(async (id: string, options: TargetOptions & { yes?: true }) => {
    const api = await apiOf(where, options);
    const cleanUp = await api.get<ShownCleanUp>(`${CLEAN_UPS}/${id}`);
    const told = `this leaves where it is, for good: ${thingsOf(cleanUp)}`;
    if (options.yes !== true && question !== undefined && !(await question(told))) return;
    print(await api.post(`${CLEAN_UPS}/${id}/give_up`, {}));
  });
  return command;
}

/** What it removes, for a person. */
const thingsOf = ({ stack, images }: CleanUp): string =>
  [...(stack === null ? [] : [`stack ${stack}`]), ...images.map((image) => `image ${image}`)].join(', ') || 'registrations alone';

/** A clean-up as the list shows it. Pure. */
export function cleanUpLine(cleanUp: ShownCleanUp): string {
  const { id, state, vimId, attempts, retryAt, error } = cleanUp;
  const again = state === 'PENDING' && retryAt !== null ? `, again at ${retryAt}` : '';
  const tried = attempts === 0 ? '' : `  failed ${attempts} times${again}: ${text(error?.detail ?? 'no reason')}`;
  return `${id}  ${state}  ${vimId ?? 'a VIM that only a request described'}  ${thingsOf(cleanUp)}${tried}`;
}
