import { stackInput } from '../../lifecycle/support/desired-world.js';
import { FIRST_VERSION, scripted } from '../../packages/support/scripted-package.js';
import { readSample, type Sample } from './samples.js';

/** A package whose Python script computes Heat's parameters. Its stories compare the parameters of the stack, too. */
export const scriptedSample = async (): Promise<Sample> => ({
  ...(await readSample('scripted', await scripted({ 'UserData/__init__.py': '', 'UserData/user_data.py': FIRST_VERSION }))),
  alsoSeen: async (world) => (world.instance.desired === null ? null : (await stackInput(world)).parameters),
});
