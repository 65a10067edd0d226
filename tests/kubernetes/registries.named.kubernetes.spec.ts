import { minutes } from '@windlass/foundation';
import { registryGuides } from '../private-registry/support/registry-guides.js';

registryGuides('real', minutes(26));
