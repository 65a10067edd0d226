import type { JSX } from 'preact';
import type { Package } from '../api/types.js';
import { Name } from '../components/elements.js';

/** What onboarding said of a package: each obstacle and each warning in a line. */
export function OnboardingMessages({
  shown,
}: {
  shown: Pick<Package, 'onboardingFailureDetails' | 'windlassWarnings'>;
}): JSX.Element | null {
  const { onboardingFailureDetails: failure, windlassWarnings: warnings = [] } = shown;
  const obstacles = (failure?.detail ?? '').split('\n').filter((line) => line.trim() !== '');
  if (obstacles.length === 0 && warnings.length === 0) return null;
  return (
    <ul class="said">
      {obstacles.map((line) => (
        <li key={line} class="obstacle">
          <Name text={line} />
        </li>
      ))}
      {warnings.map((warning) => (
        <li key={warning} class="warning">
          <Name text={warning} />
        </li>
      ))}
    </ul>
  );
}
