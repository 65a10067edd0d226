import { minutes } from '@windlass/foundation';
import { kubesprayStory } from '../kubespray/support/kubespray-story.js';

kubesprayStory('real', minutes(26));
