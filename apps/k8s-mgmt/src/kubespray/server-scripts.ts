// What is run on the Ansible server, by bash and as who logs in. server-scripts.spec.ts holds it against shellcheck.

/**
 * Where a server may have Ansible: in a virtual environment in kubespray's folder or beside it (as its documentation has it), or in the user's own
 * folder. Others may be able to write beside kubespray's folder: an environment there has to belong to root, to the user who logs in, or to
 * kubespray's owner.
 */
const FIND_ANSIBLE = String.raw`
PATH="$HOME/.local/bin:/usr/local/bin:$PATH"
owner_of() { stat -L -c %u -- "$1" 2> /dev/null || echo nobody; }
for venv in .venv venv kubespray-venv; do
  bin="$(dirname -- "$root")/$venv/bin"
  case "$(owner_of "$bin")" in
    nobody) ;;
    0 | "$(id -u)" | "$(owner_of "$root")") PATH="$bin:$PATH" ;;
  esac
done
for venv in kubespray-venv .venv venv; do PATH="$root/$venv/bin:$PATH"; done
export PATH
`;

/**
 * Prints a line `key value` for each fact. Arguments: kubespray's root, then a line for each playbook that may be needed: its kind and its possible
 * paths, in the order of preference.
 */
export const LOOK_AT_SERVER = String.raw`set -u
root=$1
shift
${FIND_ANSIBLE}
say() { printf '%s\n' "$*"; }
for program in ansible-playbook ansible sshpass; do
  where=$(command -v "$program") && say "program $program $where"
done
if ! [ -d "$root" ]; then
  say "noroot"
  exit 0
fi
for line in "$@"; do
  kind=${'$'}{line%% *}
  for path in ${'$'}{line#* }; do
    if [ -f "$root/$path" ]; then
      say "playbook $kind $path"
      break
    fi
  done
done
sed -n 's/^version:[[:space:]]*\([0-9][0-9A-Za-z.+-]*\)[[:space:]]*$/release \1/p' "$root/galaxy.yml" 2> /dev/null
for sample in inventory.ini hosts.ini; do
  if [ -f "$root/inventory/sample/$sample" ]; then
    sed -n 's/^\[\([A-Za-z0-9_-]*\)[]:].*/group \1/p' "$root/inventory/sample/$sample"
    break
  fi
done
exit 0
`;

/** A file that marks a folder as ours. It holds the id of the VNF instance that made the folder. */
const MARK = '.windlass';

/**
 * Arguments: the folder; kubespray's root; the VNF instance; the cluster's group; the operation, where it makes the cluster again (else empty); the
 * file with our variables.
 */
export const PREPARE_FOLDER = String.raw`set -eu
folder=$1 root=$2 instance=$3 group=$4 operation=$5 variables=$6
umask 077
if [ -e "$folder" ] && [ "$(cat "$folder/${MARK}" 2> /dev/null)" != "$instance" ]; then
  echo "$folder is there, and this VNF instance has not made it: move it away, or name another transferring_inventory_path" >&2
  exit 1
fi
mkdir -p "$folder"
printf '%s\n' "$instance" > "$folder/${MARK}"
# What an earlier life of the cluster left: its keys and facts are another's. A retry of the same operation keeps what it has made.
if [ -n "$operation" ] && [ "$(cat "$folder/${MARK}-operation" 2> /dev/null)" != "$operation" ]; then
  find "$folder" -mindepth 1 -maxdepth 1 ! -name '${MARK}' -exec rm -rf {} +
  printf '%s\n' "$operation" > "$folder/${MARK}-operation"
fi
if ! [ -d "$folder/group_vars" ]; then
  if [ -d "$root/inventory/sample" ]; then cp -R "$root/inventory/sample/." "$folder/"; fi
  mkdir -p "$folder/group_vars"
fi
# The last of the group's files wins.
mine="$folder/group_vars/$group/zz-windlass.yml"
if ! [ -f "$mine" ]; then
  mkdir -p "$folder/group_vars/$group"
  cp "$variables" "$mine.new"
  mv "$mine.new" "$mine"
fi
# kubespray's plays go over the Ansible server as well, and --become would have them ask for a password of its user's. What the folder has stays.
if ! compgen -G "$folder/host_vars/localhost*" > /dev/null; then
  mkdir -p "$folder/host_vars"
  printf '%s\n' '---' "ansible_become: '{{ user_can_become_root | default(false) | bool }}'" > "$folder/host_vars/.localhost.new"
  mv "$folder/host_vars/.localhost.new" "$folder/host_vars/localhost.yml"
fi
mkdir -p "$folder/facts"
chmod -R go= "$folder"
`;

/** Arguments: the folder and the VNF instance. */
export const REMOVE_FOLDER = String.raw`set -eu
folder=$1 instance=$2
[ -e "$folder" ] || exit 0
if [ "$(cat "$folder/${MARK}" 2> /dev/null)" != "$instance" ]; then
  echo "$folder was not made by this VNF instance: it stays" >&2
  exit 1
fi
rm -rf -- "$folder"
`;

/**
 * Arguments: kubespray's root and the command. Connections that Ansible keeps open end with the run: another machine may have the address next. The
 * folders of runs that were killed are removed first.
 */
export const RUN_ANSIBLE = String.raw`set -u
root=$1
shift
${FIND_ANSIBLE}
cd "$root" || exit 1
for left in /tmp/windlass-ssh-*; do
  run=$(basename "$left" | sed -n 's/^windlass-ssh-\([0-9]\{1,\}\)-.*/\1/p')
  if [ -n "$run" ] && [ -O "$left" ] && [ ! -L "$left" ] && ! kill -0 "$run" 2> /dev/null; then rm -rf -- "$left"; fi
done
sockets=$(mktemp -d "/tmp/windlass-ssh-$$-XXXXXXXX") || exit 1
export ANSIBLE_SSH_CONTROL_PATH_DIR="$sockets"
end() {
  for socket in "$sockets"/*; do
    [ -S "$socket" ] && ssh -o ControlPath="$socket" -O exit none > /dev/null 2>&1
  done
  rm -rf -- "$sockets"
}
trap end EXIT
"$@"
`;

/** Prints the MTU of the link that has an address. Argument: the address. */
export const LINK_MTU = String.raw`set -eu
link=$(ip -o -4 addr show to "$1" | awk 'NR == 1 { sub(/@.*/, "", $2); print $2 }')
if [ -n "$link" ]; then cat "/sys/class/net/$link/mtu"; fi
`;
