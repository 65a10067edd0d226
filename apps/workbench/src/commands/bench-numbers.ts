import { InvalidArgumentError } from 'commander';

export const milliseconds = (text: string): number => {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('expected milliseconds from 0 to 99999');
  return Number(text);
};

export const positive = (text: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1 to 9999');
  return Number(text);
};
