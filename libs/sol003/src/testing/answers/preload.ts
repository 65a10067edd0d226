/** For `node --import`: a service's process checks its answers, and writes errors to the file that WINDLASS_WRONG_ANSWERS names. */
import { watchAnswers } from './watched-servers.js';

const file = process.env.WINDLASS_WRONG_ANSWERS;
if (file === undefined) throw new Error('WINDLASS_WRONG_ANSWERS names no file');
watchAnswers(file);
