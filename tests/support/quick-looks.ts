import { millis } from '@windlass/foundation';
import { STACK_PACE, type StackPace } from '@windlass/openstack';

/** For VIMs whose stacks take no time: half a second until a stack is seen to have ended would be most of a test. */
export const QUICK_LOOKS: StackPace = { ...STACK_PACE, first: millis(50) };
