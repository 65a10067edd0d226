// A file of its own, so that the ORM is loaded while the servers start (own-servers.ts).
export { separateTrail } from '@windlass/persistence';
