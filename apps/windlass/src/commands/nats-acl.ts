import { RequestError } from '@windlass/foundation';
import { Command, Option } from 'commander';
import type { AclFormat, ThirdParty } from './acl-text.js';

/** @throws RequestError 400 for what is not `service=driver[,driver]` */
export function thirdPartyOf(text: string): ThirdParty {
  const [, name, drivers] = /^([a-z0-9][a-z0-9-]*)=([A-Za-z0-9][A-Za-z0-9_,-]*)$/.exec(text) ?? [];
  const list = drivers?.split(',') ?? [];
  if (name === undefined || list.length === 0 || list.includes('')) {
    const expected = 'expected the service and its drivers, such as my-mgmt=my-driver or my-mgmt=one,two';
    throw new RequestError(400, 'acl.bad-third-party', `--third-party is "${text}"; ${expected}`);
  }
  return { name, drivers: list };
}

/** `./windlass nats-acl`. */
export function natsAclCommand(): Command {
  return new Command('nats-acl')
    .description('print the users and permissions that a NATS of your own must have')
    .addOption(
      new Option('--format <format>', 'as an include file of nats-server, or as JSON')
        .choices(['nats-server', 'json'])
        .default('nats-server'),
    )
    .option('--service <name>', 'of this service only')
    .option(
      '--third-party <service=drivers>',
      'a service that is no part of Windlass, and the management drivers it serves, separated by commas; may be given again',
      (text: string, before: readonly ThirdParty[]) => [...before, thirdPartyOf(text)],
      [] as readonly ThirdParty[],
    )
    .action(async ({ format, ...requested }: { format: AclFormat; service?: string; thirdParty: readonly ThirdParty[] }) => {
      const { service, thirdParty: thirdParties } = requested;
      const { natsAcl } = await import('./acl-text.js');
      process.stdout.write(natsAcl(format, { service, thirdParties }));
    });
}
