import { millis } from '@windlass/foundation';
import { STACK_PACE, type StackPace } from '@windlass/openstack';

/** The pace for VIMs whose stacks take no time: with the product's pace, a test would mostly wait for its first look at a stack. */
export const QUICK_LOOKS: StackPace = { ...STACK_PACE, first: millis(50) };
