import { Controller } from '@nestjs/common';
import {
  announceContract,
  packagePartContract,
  Serves,
  type PackagePartReply,
  type PackagePartRequest,
} from '@windlass/messaging';
import type { DriverDescription } from '@windlass/mgmt-driver';
import { DriverRegistry } from './drivers/driver-registry.js';
import { PackageFiles } from './packages/package-files.js';

/** What other services ask of lcm-api. */
@Controller()
export class MessagesController {
  constructor(
    private readonly drivers: DriverRegistry,
    private readonly files: PackageFiles,
  ) {}

  @Serves(announceContract)
  async announced(description: DriverDescription): Promise<{ kept: boolean }> {
    await this.drivers.keep(description);
    return { kept: true };
  }

  @Serves(packagePartContract)
  part(request: PackagePartRequest): Promise<PackagePartReply> {
    return this.files.part(request);
  }
}
