import { minutes } from '@windlass/foundation';
import { storageGuide } from './support/storage-guide.js';

storageGuide('stand-in', minutes(11));
