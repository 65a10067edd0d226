import 'reflect-metadata';
import { runService } from '@windlass/service-kit';
import { registryMgmt } from './service.js';

await runService(registryMgmt);
