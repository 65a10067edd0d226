import { RequestError } from '@windlass/foundation';
import { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Surroundings } from '../surroundings/config.js';

interface SeparateOptions {
  servicesUrlFile?: string;
  adminUrlFile?: string;
  print?: string;
}

/** `./windlass audit-trail separate`: takes the right to change the trail from the role that services connect as. */
export const trailSeparateCommand = (where: Surroundings): Command =>
  new Command('separate')
    .description(
      'give the audit trail a keeper of its own in PostgreSQL, so that services can add to it and nothing else; "windlass up" does it itself',
    )
    .option('--services-url-file <file>', 'holds the URL that services connect with; the schema is brought up to date with it')
    .option('--admin-url-file <file>', 'holds the URL of a superuser, in the same database')
    .option('--print <role>', 'print the statements for services that connect as this role, for whoever runs the database')
    .action(async ({ servicesUrlFile, adminUrlFile, print }: SeparateOptions) => {
      const { separateTrail, separationStatements } = await import('@windlass/persistence');
      if (print !== undefined) {
        process.stdout.write(`BEGIN;\n${separationStatements(print).join(';\n')};\nCOMMIT;\n`);
        return;
      }
      if (servicesUrlFile === undefined || adminUrlFile === undefined)
        throw new RequestError(400, 'cli.missing', 'give --services-url-file and --admin-url-file, or --print <role>');
      const [services, admin] = await Promise.all(
        [servicesUrlFile, adminUrlFile].map(async (file) => (await readFile(resolve(where.calledFrom, file), 'utf8')).trim()),
      );
      await separateTrail({ services: services ?? '', admin: admin ?? '' });
      process.stdout.write('the audit trail has its keeper\n');
    });
