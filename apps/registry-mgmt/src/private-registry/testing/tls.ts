import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { testCertificates } from '@windlass/embedded/testing';

/** A certificate of a test's authority with its key, and another key. */
export function tlsPair(names: readonly string[] = ['DNS:registry.example.com']) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-registry-tls-'));
  try {
    const { read } = testCertificates(folder, 'an authority of a test', names);
    return {
      tls_certificate: read('server.pem'),
      tls_key: read('server.key'),
      othersKey: read('client.key'),
      ca: read('ca.pem'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A certificate of registry.example.com, valid for a day of 2020. */
export const EXPIRED = `-----BEGIN CERTIFICATE-----
MIIBVDCB+6ADAgECAgEBMAoGCCqGSM49BAMCMBIxEDAOBgNVBAMMB2V4cGlyZWQw
HhcNMjAwMTAxMDAwMDAwWhcNMjAwMTAyMDAwMDAwWjASMRAwDgYDVQQDDAdleHBp
cmVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKOdI6m6PsVoYqcqBzR7WgUiA
cFLYW0NQITw+Q0SLQ0paLf0iC2m63D9ltI9nq7yqLdV9f+TzZD26z+fZK4ZpAKNC
MEAwHwYDVR0RBBgwFoIUcmVnaXN0cnkuZXhhbXBsZS5jb20wHQYDVR0OBBYEFNwF
rGgxgLmYXFLiADrYfH/SnRY/MAoGCCqGSM49BAMCA0gAMEUCIQDs9M+0RuWa4hSQ
+XLNbthVQov1wlQZ4VUKsAssL6/CHwIgNMldywyrRjnOYXc/TY75RwXnJT4Q+AHS
M7HHe3CW5RA=
-----END CERTIFICATE-----
`;
