import { STORIES, strikeEveryPoint } from './durable/every-point.js';

strikeEveryPoint([STORIES.byItself]);
