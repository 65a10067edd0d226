import { minutes } from '@windlass/foundation';
import { kubesprayStory } from './support/kubespray-story.js';

kubesprayStory('stand-in', minutes(20));
