import type { MachineContext, MachineStepInput } from '@windlass/driver-kit';
import { minutes } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { defineAction, implementAction } from '@windlass/saga';

export const NOTICE = '/etc/motd.d/windlass';

export interface WriteNoticeInput extends MachineStepInput {
  text: string;
}

/** Shows a text to whoever logs in to a VM. */
export const writeNotice = defineAction<WriteNoticeInput>({ service: 'notice-mgmt', name: 'write-notice', version: 1 });

export const writeNoticeWork = implementAction(writeNotice, {
  check: (context: MachineContext<WriteNoticeInput>) => context.sees(cmd`cmp -s - ${NOTICE}`, context.input.text),
  apply: async (context) => {
    await context.script('write-notice', {
      text: 'install -D -m 0644 "$1" "$2"',
      within: minutes(1),
      arguments: async (files) => {
        await files.put('notice', context.input.text);
        return [files.path('notice'), NOTICE];
      },
    });
    return undefined;
  },
  undo: async (context) => {
    await context.script('remove-notice', { text: 'rm -f "$1"', within: minutes(1), arguments: () => [NOTICE] });
  },
  stop: (context) => context.stop(),
});
