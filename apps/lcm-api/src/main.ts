import 'reflect-metadata';
import { runService } from '@windlass/service-kit';
import { lcmApi } from './service.js';

await runService(lcmApi);
