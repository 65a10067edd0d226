import { Controller } from '@nestjs/common';
import {
  announceContract,
  AnnouncementServer,
  archivedPartContract,
  packagePartContract,
  Serves,
  type AnnounceAnswer,
  type AnnounceMessage,
  type ArchivedPartReply,
  type PackagePartReply,
  type PackagePartRequest,
} from '@windlass/messaging';
import { PackageFiles } from './packages/package-files.js';

/** What other services ask of lcm-api. */
@Controller()
export class MessagesController {
  constructor(
    private readonly announcements: AnnouncementServer,
    private readonly files: PackageFiles,
  ) {}

  @Serves(announceContract)
  announced(message: AnnounceMessage): Promise<AnnounceAnswer> {
    return this.announcements.announced(message);
  }

  @Serves(packagePartContract)
  part(request: PackagePartRequest): Promise<PackagePartReply> {
    return this.files.part(request);
  }

  @Serves(archivedPartContract)
  archivedPart(request: PackagePartRequest): Promise<ArchivedPartReply> {
    return this.files.archivedPart(request);
  }
}
