import 'reflect-metadata';
import { runService } from '@windlass/service-kit';
import { k8sMgmt } from './service.js';

await runService(k8sMgmt);
