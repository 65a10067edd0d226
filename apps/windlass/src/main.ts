import { WindlassError } from '@windlass/foundation';
import { Command } from 'commander';
import { benchCommand } from './commands/bench.js';
import { driverCommand } from './commands/driver.js';
import { enrolmentCommand, enrolmentTokenCommand } from './commands/enrolment.js';
import { labCommand } from './commands/lab.js';
import { demoCommand } from './commands/demo.js';
import { natsAclCommand } from './commands/nats-acl.js';
import { testCommand } from './commands/test.js';
import { downCommand, upCommand } from './commands/up.js';
import { auditTrailCommand } from './commands/audit-trail.js';
import { opCommand } from './commands/op.js';
import { vimCommand } from './commands/vim.js';
import { vnfCommand } from './commands/vnf.js';
import { surroundings } from './config.js';

const where = surroundings();
const program = new Command('windlass')
  .description('Windlass, a VNF manager: SOL003 over NestJS services, NATS JetStream and PostgreSQL')
  .addCommand(demoCommand(where))
  .addCommand(upCommand(where))
  .addCommand(downCommand(where))
  .addCommand(labCommand(where))
  .addCommand(vnfCommand(where))
  .addCommand(opCommand(where))
  .addCommand(auditTrailCommand(where))
  .addCommand(enrolmentTokenCommand(where))
  .addCommand(enrolmentCommand(where))
  .addCommand(driverCommand(where))
  .addCommand(vimCommand(where))
  .addCommand(natsAclCommand())
  .addCommand(testCommand(where))
  .addCommand(benchCommand(where))
  .showHelpAfterError();

try {
  await program.parseAsync();
} catch (error) {
  console.error(
    `windlass: ${error instanceof WindlassError ? error.message : String(error instanceof Error ? (error.stack ?? error.message) : error)}`,
  );
  process.exitCode = 1;
}
