import { describe, expect, it } from 'vitest';
import { programsOf } from './deployment.js';

const argumentsOf = (oneProcess: boolean): (readonly string[])[] =>
  programsOf({ home: '/nowhere', oneProcess }, () => ({})).map(({ nodeArguments }) => nodeArguments);

describe("V8's young generation", () => {
  it('is small in each service, seven times', () => {
    expect(argumentsOf(false)).toEqual(Array.from({ length: 7 }, () => ['--max-semi-space-size=4']));
  });

  it('is not so small that seven services in one process do nothing but collect', () => {
    expect(argumentsOf(true)).toEqual([['--max-semi-space-size=16']]);
  });
});
