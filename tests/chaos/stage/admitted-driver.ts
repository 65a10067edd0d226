import { randomBytes } from 'node:crypto';
import { appendFile, chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NatsUser } from '@windlass/embedded';
import { CoreKeys, hashOf, makeToken, standingLine, tokenText, userPermissions } from '@windlass/messaging';
import { parseMasterKeys } from '@windlass/persistence';
import { TestSshd } from '../../../libs/remote-host/src/testing/sshd.js';
import type { BackingServices } from '../../support/backing-services.js';
import { CHAOS_DRIVER, CHAOS_SERVICE } from '../driver/chaos.driver.js';

/** The chaos driver as an operator admits a management driver of his own, and the machine on which its jobs run: an sshd on loopback. */
export class AdmittedDriver {
  private constructor(
    /** The jobs' folder on the machine, with their ledger. */
    readonly hostFolder: string,
    readonly sshd: TestSshd,
    /** The password of the driver's NATS user. */
    readonly password: string,
    private readonly told: Readonly<Record<string, string>>,
  ) {}

  /** Starts the machine, and lays out the driver's secrets and its token's hash, which the coordinators read when they start. */
  static async admit(backing: BackingServices): Promise<AdmittedDriver> {
    const { folder, dataDir, secrets } = backing;
    // Jobs run as root, and sshd reads keys as the user who logs in.
    await chmod(folder, 0o711);
    const hostFolder = join(folder, 'host');
    await mkdir(join(hostFolder, 'locks'), { recursive: true });
    await cp(join(import.meta.dirname, '../driver/ledger-job.sh'), join(hostFolder, 'ledger-job.sh'));
    await writeFile(join(hostFolder, 'ledger'), '');
    const sshd = await TestSshd.start('MaxSessions 200');
    backing.endFirst(() => sshd.stop());
    const secretFile = async (name: string, text: string): Promise<string> => {
      const file = join(dataDir, 'secrets', name);
      await writeFile(file, text, { mode: 0o600 });
      return file;
    };
    const password = randomBytes(24).toString('base64url');
    const token = makeToken(new CoreKeys(parseMasterKeys(secrets.masterKey)).publicX);
    await appendFile(secrets.enrolmentTokensFile, `\n${standingLine({ service: CHAOS_SERVICE, ...hashOf(token) })}\n`);
    return new AdmittedDriver(hostFolder, sshd, password, {
      NATS_PASSWORD_FILE: await secretFile('driver-password', password),
      WORKER_KEY_FILE: join(secrets.keyFolder, `${CHAOS_SERVICE}.key`),
      ENROLMENT_TOKEN_FILE: await secretFile('driver-token', tokenText(token).reveal()),
      CHAOS_HOST_PORT: String(sshd.port),
      CHAOS_HOST_KEY_FILE: await secretFile('host-key', sshd.clientKey.reveal()),
      CHAOS_HOST_FOLDER: hostFolder,
    });
  }

  get natsUser(): NatsUser {
    const permissions = userPermissions(CHAOS_SERVICE, [
      { kind: 'worker', service: CHAOS_SERVICE },
      { kind: 'driver', drivers: [CHAOS_DRIVER] },
    ]);
    return { name: CHAOS_SERVICE, password: this.password, permissions };
  }

  /** What a service is told beside: nothing, unless it is the driver's. */
  environmentFor(service: string): Readonly<Record<string, string>> {
    return service === CHAOS_SERVICE ? this.told : {};
  }
}
