{{/*
What each service is, as docker-compose.yml has it; tests/deploy/chart.spec.ts holds the two together.
secrets: the variable that names the file, and the secret in it. core: it connects to PostgreSQL. enrolled: it has a key that its steps are sealed to.
*/}}
{{- define "windlass.services" -}}
saga-coordinator:
  core: true
  secrets:
    DATABASE_URL_FILE: database-url
    MASTER_KEY_FILE: master-key
    NATS_PASSWORD_FILE: nats-saga-coordinator
    ENROLMENT_TOKENS_FILE: enrolment-tokens
vim-registry:
  core: true
  secrets:
    DATABASE_URL_FILE: database-url
    MASTER_KEY_FILE: master-key
    NATS_PASSWORD_FILE: nats-vim-registry
lcm-api:
  core: true
  api: true
  secrets:
    DATABASE_URL_FILE: database-url
    MASTER_KEY_FILE: master-key
    NATS_PASSWORD_FILE: nats-lcm-api
    LCM_TOKEN_FILE: lcm-token
infra-driver:
  enrolled: true
  secrets:
    NATS_PASSWORD_FILE: nats-infra-driver
    ENROLMENT_TOKEN_FILE: enrol-infra-driver
k8s-mgmt:
  enrolled: true
  secrets:
    NATS_PASSWORD_FILE: nats-k8s-mgmt
    ENROLMENT_TOKEN_FILE: enrol-k8s-mgmt
storage-mgmt:
  enrolled: true
  secrets:
    NATS_PASSWORD_FILE: nats-storage-mgmt
    ENROLMENT_TOKEN_FILE: enrol-storage-mgmt
registry-mgmt:
  enrolled: true
  secrets:
    NATS_PASSWORD_FILE: nats-registry-mgmt
    ENROLMENT_TOKEN_FILE: enrol-registry-mgmt
{{- end }}
