import 'reflect-metadata';
import { runService } from '@windlass/service-kit';
import { vimRegistry } from './service.js';

await runService(vimRegistry);
