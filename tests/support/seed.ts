/** The seed of everything that a test run draws at random: `WINDLASS_TEST_SEED`, or a fixed seed. `./windlass test --all` sets a new seed. */
export function testSeed(environment: NodeJS.ProcessEnv = process.env): number {
  const { WINDLASS_TEST_SEED: given } = environment;
  if (given === undefined) return 20_261_125;
  if (!/^\d{1,10}$/.test(given)) throw new Error(`WINDLASS_TEST_SEED is ${given}; a whole number was expected`);
  return Number(given);
}
