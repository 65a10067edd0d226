import { VimEntity } from './vim.entity.js';
import { VnfInstanceEntity } from './vnf-instance.entity.js';
import { VnfLcmOpOccEntity } from './vnf-lcm-op-occ.entity.js';
import { VnfPackageEntity } from './vnf-package.entity.js';

export { VimEntity, VnfInstanceEntity, VnfLcmOpOccEntity, VnfPackageEntity };
export type { OnboardingState } from './vnf-package.entity.js';

/** All TypeORM entities. */
export const entities = [VimEntity, VnfInstanceEntity, VnfLcmOpOccEntity, VnfPackageEntity];
