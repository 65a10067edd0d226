import { seconds } from '@windlass/foundation';
import { surveyStackAction, type SurveyedGroup } from '@windlass/lifecycle';
import { parseStatus, readInventory, waitUntilQuiet, type Group } from '@windlass/openstack';
import { infraAction, stackWait } from './infra-context.js';
import { stackContents } from './read-stack.action.js';
import { knownStack } from './known-stack.js';

/** Looks at the stack before an operation changes it. Waits for a late write of an earlier operation; the answer shows its result. */
export const surveyStack = infraAction(surveyStackAction, {
  apply: async ({ openStack, input, run, settings }) => {
    const stack = await knownStack(openStack.heat, input.stack);
    run.progress(`${stack.name} is ${stack.status}`);
    await waitUntilQuiet(openStack.heat, stack, stackWait({ settings, run }));
    const inventory = await readInventory(openStack, stack);
    return {
      ...stackContents(input, inventory),
      groups: inventory.groups.map(surveyedGroup),
    };
  },
  retry: { attempts: 5, backoff: seconds(1), growth: 2 },
});

const surveyedGroup = ({ name, members }: Group): SurveyedGroup => ({
  name,
  members: members.map((member) => ({
    name: member.name,
    createdAt: member.createdAt,
    failed: parseStatus(member.status).phase === 'FAILED',
  })),
});
