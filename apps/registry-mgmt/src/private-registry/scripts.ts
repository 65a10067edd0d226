import { APT, HEAD } from '@windlass/driver-kit';
import type { RegistryAccess } from './step-inputs.js';

// Shell that runs on the registry's VM, as root, by bash, from the job's own folder. Values come as arguments and files, never pasted in.
// Exit status 75 (EX_TEMPFAIL) says that the same may work later: no network, a mirror that is down.

/** Where the images lie, on the VM. */
export const DATA = '/private_registry';
/** The container, and the unit that takes its place. */
export const NAME = 'private_registry';
/** What we keep on the VM. */
export const OWN = '/var/lib/windlass/private-registry';
/** The image that was loaded: the archive's SHA-256 and what the engine calls it. */
export const LOADED = `${OWN}/loaded`;
/** The files that secure the registry. Only the folder's owner may read it: root, or the user of the program. */
export const ACCESS = '/etc/windlass-private-registry';
export const HTPASSWD = `${ACCESS}/htpasswd`;
export const CERTIFICATE = `${ACCESS}/tls.crt`;
export const KEY = `${ACCESS}/tls.key`;
/** The same folder in a container. */
const ACCESS_IN_CONTAINER = '/etc/windlass-access';
const REALM = 'private registry';
export const DROP_IN = '/etc/systemd/system/docker.service.d/windlass.conf';
export const PROXIES = '/etc/docker/windlass-proxy.env';
export const APT_PROXY = '/etc/apt/apt.conf.d/95windlass-proxy';

/** The drop-in of the engine's unit. Its containers wait for the volume that may hold their data; with proxies it reads their file. */
export const dropIn = (hasProxies: boolean): string =>
  ['[Unit]', `RequiresMountsFor=${DATA}`, ...(hasProxies ? ['[Service]', `EnvironmentFile=${PROXIES}`] : [])]
    .map((line) => `${line}\n`)
    .join('');

/**
 * Installs Docker and has it run a container with nothing but Docker's own init. The last lines say `engine: docker`, or `engine: none` and why.
 * Arguments: a file with apt's proxies, a file with the engine's as an EnvironmentFile (each empty: none), the drop-in of its unit.
 */
export const INSTALL_ENGINE = `${HEAD}${APT}${String.raw`
apt_proxy=$1 proxies=$2 drop_in=$3
# Its own file, read by root alone: a proxy's password may stand in it. An empty one is none.
placed() {
  if [ -s "$1" ]; then install -D -m 0600 "$1" "$2"; else rm -f "$2"; fi
}
placed "$apt_proxy" ${APT_PROXY}
placed "$proxies" ${PROXIES}
install -D -m 0644 "$drop_in" ${DROP_IN}
apt_get update
# Docker runs no container where the kernel has AppArmor and its parser is missing.
apt_get install --no-install-recommends docker.io ca-certificates apparmor
# Debian 13's docker.io is the daemon alone.
if ! command -v docker > /dev/null; then apt_get install --no-install-recommends docker-cli; fi
say "starting Docker"
systemctl daemon-reload
systemctl enable docker.service < /dev/null
systemctl restart docker.service || true

said=$(mktemp)
no_engine() {
  local why
  why=$(grep -v '^[[:space:]]*$' "$said" | tail -n 3 | tr -s '[:space:]' ' ' | cut -c 1-500)
  # Else systemd starts it again and again.
  systemctl disable --now docker.socket docker.service < /dev/null || true
  say "engine: none"
  say "why: $why"
  exit 0
}

tries=0
until docker info > /dev/null 2> "$said"; do
  tries=$((tries + 1))
  if [ "$tries" -ge 60 ] || systemctl is-failed --quiet docker.service; then
    journalctl --unit=docker.service --lines=20 --no-pager --output=cat > "$said" || true
    no_engine
  fi
  sleep 1
done

# A container of one static program: whether any runs here does not depend on the registry's image.
init=$(command -v tini-static || command -v docker-init || true)
if [ -n "$init" ]; then
  say "trying a container"
  tried=$(mktemp)
  tar -C "$(dirname "$init")" -cf "$tried" "$(basename "$init")"
  docker import - windlass-try < "$tried" > /dev/null
  rm "$tried"
  ran=yes
  docker run --rm --publish 127.0.0.1::5000 windlass-try "/$(basename "$init")" --version > "$said" 2>&1 || ran=no
  docker rmi --force windlass-try > /dev/null
  if [ "$ran" = no ]; then no_engine; fi
fi
say "engine: docker"
`}`;

/** Arguments: the archive, its SHA-256, its path in the package. The last line is the engine's name of the image. */
export const LOAD_IMAGE = `${HEAD}${String.raw`
archive=$1 sum=$2 path=$3
said=$(mktemp)
say "loading $path"
if ! docker load --input "$archive" > "$said" 2>&1; then
  refuse "$path is no image that docker load takes; was it made by docker save? It said: $(tail -n 3 "$said")"
fi
images=$(sed -n -e 's/^Loaded image: //p' -e 's/^Loaded image ID: //p' "$said")
image=$(grep -E '(^|/)registry(:|$)' <<< "$images" | head -n 1 || true)
if [ -z "$image" ]; then
  if [ "$(grep -c . <<< "$images")" != 1 ]; then
    refuse "$path holds no image called registry, but: $(paste -sd ' ' <<< "$images"). Save the one that is meant by itself"
  fi
  image=$images
fi
docker image inspect "$image" > /dev/null
mkdir -p ${OWN}
printf '%s %s\n' "$sum" "$image" > ${LOADED}
rm -f "$archive"
say "image: $image"
`}`;

/** Argument: the image's name. The last line is the engine's name of the image. */
export const PULL_IMAGE = `${HEAD}${String.raw`
image=$1
said=$(mktemp)
tries=0
until docker pull --quiet "$image" > "$said" 2>&1; do
  cat "$said" >&2
  if grep -qiE 'not found|(manifest|blob) unknown|unauthorized|forbidden|denied|no matching manifest|certificate (signed by|has expired)' "$said"; then
    refuse "the image $image can't be had: does the VM reach Docker Hub, or should image_path name a file of the package? registry_image names another image"
  fi
  tries=$((tries + 1))
  if [ "$tries" -ge 5 ]; then
    say "the image $image could not be had in $tries attempts: give proxy, or put it into the package and name it by image_path" >&2
    exit 75
  fi
  say "attempt $tries of 5 to pull $image: $(grep -m 1 . "$said")"
  sleep "$((tries * 5))"
done
docker image inspect "$image" > /dev/null
say "image: $image"
`}`;

/**
 * Arguments: the published address and port as Docker writes them, the image, {@link accessLabel}, whether there is a login (`yes`), whether there is
 * TLS.
 */
export const RUN_CONTAINER = `${HEAD}${String.raw`
publish=$1 image=$2 access=$3 login=$4 tls=$5
set -- --label "windlass.access=$access"
if [ "$login$tls" != nono ]; then
  chown -R root:root ${ACCESS}
  set -- "$@" --volume ${ACCESS}:${ACCESS_IN_CONTAINER}:ro
fi
if [ "$login" = yes ]; then
  set -- "$@" --env REGISTRY_AUTH=htpasswd --env "REGISTRY_AUTH_HTPASSWD_REALM=${REALM}" --env REGISTRY_AUTH_HTPASSWD_PATH=${ACCESS_IN_CONTAINER}/htpasswd
fi
if [ "$tls" = yes ]; then
  set -- "$@" --env REGISTRY_HTTP_TLS_CERTIFICATE=${ACCESS_IN_CONTAINER}/tls.crt --env REGISTRY_HTTP_TLS_KEY=${ACCESS_IN_CONTAINER}/tls.key
fi
# One that an earlier attempt made; the images lie outside.
docker rm --force ${NAME} > /dev/null 2>&1 || true
mkdir -p ${DATA}
say "starting the container ${NAME} at $publish"
docker run --detach --name ${NAME} --restart always --publish "$publish" --volume ${DATA}:/var/lib/registry "$@" "$image" > /dev/null
`}`;

/** What the container is like; see {@link containerLine}. */
export const CONTAINER_FORMAT =
  '{{.State.Running}} {{.HostConfig.RestartPolicy.Name}} {{range .HostConfig.PortBindings}}{{range .}}{{.HostIp}} {{.HostPort}}{{end}}{{end}} {{index .Config.Labels "windlass.access"}} {{.Config.Image}}';

/**
 * The label of a container that says how it was secured when it was made: a new certificate needs a new container. The container reads its file of
 * users again by itself.
 */
export const accessLabel = ({ login, certificate = 'none' }: RegistryAccess): string =>
  `login=${login ? 'yes' : 'no'},certificate=${certificate}`;

/** Arguments: where it listens, the program's configuration, its unit. The last line is the program's version. */
export const RUN_PROGRAM = `${HEAD}${APT}${String.raw`
at=$1 config=$2 unit=$3
apt_get update
apt_get install --no-install-recommends docker-registry
# The package's own service has the port, and its data elsewhere.
systemctl disable --now docker-registry.service < /dev/null
mkdir -p ${DATA}
chown -R docker-registry: ${DATA}
if [ -d ${ACCESS} ]; then chown -R docker-registry: ${ACCESS}; fi
install -D -m 0644 "$config" /etc/docker/registry/${NAME}.yml
install -D -m 0644 "$unit" /etc/systemd/system/${NAME}.service
say "starting docker-registry at $at"
systemctl daemon-reload
systemctl enable ${NAME}.service < /dev/null
systemctl restart ${NAME}.service
dpkg-query --show docker-registry
`}`;

/**
 * What the program by itself is told.
 * @param at address and port to listen at; the port alone is every address
 */
export const programConfig = (at: string, { login, certificate }: RegistryAccess): string => `version: 0.1
log:
  fields:
    service: registry
storage:
  cache:
    blobdescriptor: inmemory
  filesystem:
    rootdirectory: ${DATA}
${login ? `auth:\n  htpasswd:\n    realm: ${REALM}\n    path: ${HTPASSWD}\n` : ''}http:
  addr: "${at}"
${certificate === undefined ? '' : `  # SHA-256 ${certificate}\n  tls:\n    certificate: ${CERTIFICATE}\n    key: ${KEY}\n`}  headers:
    X-Content-Type-Options: [nosniff]
`;

/** Its unit: as a container with the restart policy "always". */
export const PROGRAM_UNIT = `[Unit]
Description=Private registry of container images
After=network-online.target
Wants=network-online.target
RequiresMountsFor=${DATA}
# Its address may come late.
StartLimitIntervalSec=0

[Service]
User=docker-registry
AmbientCapabilities=CAP_NET_BIND_SERVICE
ExecStart=/usr/bin/docker-registry serve /etc/docker/registry/${NAME}.yml
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
`;

/**
 * Arguments: the port, the engine, seconds to wait, the address, `yes` with TLS, a file with a line of HTTP's that logs in (empty: there is
 * no login).
 */
export const VERIFY_REGISTRY = `${HEAD}${String.raw`
port=$1 engine=$2 within=$3 address=$4 tls=$5 login=$6
scheme=http at=$address:$port
case $address in *:*) at="[$address]:$port" ;; esac
if [ "$tls" = yes ]; then scheme=https; fi
# The first line of the answer to GET /v2/ with a line of HTTP's. By bash itself: it knows no proxy, and no image lacks it.
answer() {
  local line request="GET /v2/ HTTP/1.0"$'\r\n'"Host: $at"$'\r\n'"$1"$'\r\n'
  if [ "$tls" = yes ]; then
    IFS= read -r -t 10 line < <(printf '%s' "$request" | timeout 10 openssl s_client -quiet -connect "$at" 2> /dev/null)
  else
    exec 3<> "/dev/tcp/$address/$port" && printf '%s' "$request" >&3 && IFS= read -r -t 10 line <&3
  fi && printf '%s' "$line"
}
answered=
ask() {
  answered=$({ answer "$1"; } 2> /dev/null | tr -d '\r') || answered='no answer'
  [[ $answered == HTTP/*" $2"* ]]
}
# Who has a login lets nobody in without.
healthy() {
  if [ -z "$login" ]; then
    ask '' 200
  else
    ask '' 401 && ask "$(cat "$login")"$'\r\n' 200
  fi
}
printed() {
  case $engine in
    docker) docker logs --tail 20 ${NAME} 2>&1 ;;
    *) journalctl --unit=${NAME}.service --lines=20 --no-pager --output=cat ;;
  esac || true
}
until healthy; do
  if [ "$SECONDS" -ge "$within" ]; then
    refuse "the registry does not answer GET $scheme://$at/v2/ on $(hostname) as it should after $within s: $answered. It printed at last:
$(printed)"
  fi
  say "waiting for the registry at port $port: $answered"
  sleep 1
done
say "the registry answers at port $port"
`}`;
