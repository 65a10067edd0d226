// The container's health check: exit status 0 when the service in it is ready. HEALTH_HOST and HEALTH_PORT are the service's own variables.
import { listeningAddress } from '../../libs/service-kit/dist/health/listening-address.js';
const host = listeningAddress(process.env.HEALTH_HOST ?? '127.0.0.1');
const answer = await fetch(`http://${host?.includes(':') ? `[${host}]` : host}:${process.env.HEALTH_PORT}/health/ready`, {
  signal: AbortSignal.timeout(4_000),
});
process.exit(answer.ok ? 0 : 1);
