import { minutes } from '@windlass/foundation';
import { registryGuides } from './support/registry-guides.js';

registryGuides('stand-in', minutes(11));
