import { minutes } from '@windlass/foundation';
import { storageGuide } from '../storage/support/storage-guide.js';

storageGuide('real', minutes(26));
