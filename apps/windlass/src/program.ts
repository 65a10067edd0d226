import type { Command } from 'commander';
import { accessCommand } from './commands/access.js';
import { auditTrailCommand } from './commands/audit-trail.js';
import { backupCommand } from './commands/backup.js';
import { driverCommand } from './commands/driver.js';
import { enrolmentCommand, enrolmentTokenCommand } from './commands/enrolment.js';
import { natsAclCommand } from './commands/nats-acl.js';
import { opCommand } from './commands/op.js';
import { packageCommand } from './commands/package.js';
import { downCommand } from './commands/down.js';
import { upCommand } from './commands/up.js';
import type { UpProgram } from './commands/up-program.js';
import { restoreCommand } from './commands/restore.js';
import { restoredCommand } from './commands/restored.js';
import { subscCommand } from './commands/subsc.js';
import { emptyProgram } from './program-of.js';
import { vimCommand } from './commands/vim.js';
import { vnfCommand } from './commands/vnf.js';
import type { Surroundings } from './surroundings/config.js';

/**
 * The product's command line. The workbench (`apps/workbench`) adds its own commands to it.
 * @param up what `up` is a command of, where that is not the product's own program
 */
export function windlassProgram(where: Surroundings, up?: UpProgram): Command {
  return emptyProgram()
    .addCommand(upCommand(where, up))
    .addCommand(downCommand(where))
    .addCommand(vnfCommand(where))
    .addCommand(packageCommand(where))
    .addCommand(opCommand(where))
    .addCommand(accessCommand(where))
    .addCommand(auditTrailCommand(where))
    .addCommand(enrolmentTokenCommand(where))
    .addCommand(enrolmentCommand(where))
    .addCommand(driverCommand(where))
    .addCommand(subscCommand(where))
    .addCommand(vimCommand(where))
    .addCommand(natsAclCommand())
    .addCommand(backupCommand(where))
    .addCommand(restoreCommand(where))
    .addCommand(restoredCommand(where));
}
