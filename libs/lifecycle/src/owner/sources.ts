import { toJson, type Json } from '@windlass/foundation';
import { requestSources, vnfcNamed } from '../operation/request-sources.js';
import type { SourceSubject, StepSources } from '../operation/step-sources.js';
import { leftoversSources } from '../shared-steps/clean-up/removal-steps.js';
import { imageSources } from '../shared-steps/grant/images-in-vim.js';
import { scriptSources } from '../shared-steps/user-data/script-input.js';
import { stackSources } from '../stack/stack-sources.js';

/** All sources that steps of operations name, but the VNFCs. */
export const STEP_SOURCES: StepSources = [
  ...requestSources,
  ...stackSources,
  ...leftoversSources,
  ...imageSources,
  ...scriptSources,
];

const READ = new Map(STEP_SOURCES);

/** The value of a source, as it is now; undefined where there is none. */
export async function readSource(name: string, subject: SourceSubject): Promise<Json | undefined> {
  const read = READ.get(name);
  if (read !== undefined) return read(subject);
  const vnfc = vnfcNamed(name, subject);
  return vnfc === undefined ? undefined : toJson(vnfc);
}
