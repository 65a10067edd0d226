import { complexStory } from './support/complex-story.js';

complexStory('a cluster of three masters, by requests alone, whose API is asked every 100 ms');
