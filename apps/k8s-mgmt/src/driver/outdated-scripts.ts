/**
 * SHA-256 (hex) of install scripts that are known to work no more, whatever VM they run on: our actions do their work instead.
 *
 * The list is empty. An entry needs the bytes of the script, a reason it can't work (such as a package repository that was shut
 * down), and the release it belonged to. The scripts of the reference system qualify by their repository (apt.kubernetes.io is
 * gone), but their bytes are not at hand here, and a hash that nobody could check would be worth nothing. Operators who have them
 * name the hashes in the service's settings.
 */
export const OUTDATED_SCRIPTS: readonly string[] = [];
