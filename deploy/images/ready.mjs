// The container's health check: exit status 0 when the service in it is ready. HEALTH_PORT is the service's own variable.
const answer = await fetch(`http://127.0.0.1:${process.env.HEALTH_PORT}/health/ready`, { signal: AbortSignal.timeout(4_000) });
process.exit(answer.ok ? 0 : 1);
