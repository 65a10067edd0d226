import 'reflect-metadata';
import { runService } from '@windlass/service-kit';
import { infraDriver } from './service.js';

await runService(infraDriver);
