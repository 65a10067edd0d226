import 'reflect-metadata';
import { runService } from '@windlass/service-kit';
import { storageMgmt } from './service.js';

await runService(storageMgmt);
