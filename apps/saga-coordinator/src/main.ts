import 'reflect-metadata';
import { runService } from '@windlass/service-kit';
import { sagaCoordinator } from './service.js';

await runService(sagaCoordinator);
