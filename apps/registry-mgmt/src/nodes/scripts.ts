import { CRI, HEAD } from '@windlass/driver-kit';
import { ASK, GET_CURL, UNANSWERED } from './ask-script.js';
import { CERTS_D } from './containerd-config.js';
import { HOSTS_BEGIN, HOSTS_END } from './registry-files.js';

// Shell that runs on nodes, as root, by bash. Values come as arguments and files, never pasted in.

/**
 * Marks of programs that still have to be told of a change. After a killed script a mark stays until the next script has told the program, or the
 * machine has restarted.
 */
export const MARKS = '/run/windlass-registries';

/**
 * Argument: the manifest, beside which the files lie that it names. Its lines: `put`, a mode, a file, a path: puts the file there; `gone`, a path:
 * removes it; `links`, a file with folders: links what lies there of each registry into containerd's folder, unless that has it already; `ask`, see
 * {@link ASK}.
 * A program whose files have not changed is not restarted.
 */
export const CONNECT_REGISTRIES = `${HEAD}${CRI}
marks=${MARKS}
begin='${HOSTS_BEGIN}'
end='${HOSTS_END}'
certs=${CERTS_D}
unanswered=${UNANSWERED}
${ASK}${String.raw`
manifest=$1
folder=$(dirname "$manifest")

changes() {
  case $1 in
    /etc/containerd/config.toml) touch "$marks/containerd" ;;
    /etc/docker/daemon.json) touch "$marks/docker" ;;
    /var/lib/kubelet/config.json) touch "$marks/kubelet" ;;
  esac
}
# Where others' folder of a registry is linked at ours, $1, or in the other spelling that goes before it: theirs is never written to.
unlinked() {
  local each other
  other=$(printf '%s' "$1" | sed 's/:\([0-9]*\)$/_\1_/')
  for each in "$1" "$other"; do
    if [ -L "$each" ]; then rm -f "$each"; fi
  done
}
put() {
  case $3 in "$certs"/*) unlinked "$(dirname "$3")" ;; esac
  if [ -f "$3" ] && [ ! -L "$3" ] && cmp -s "$2" "$3" && [ "$(stat -c %a "$3")" = "$1" ]; then return; fi
  say "$3"
  changes "$3"
  mkdir -p "$(dirname "$3")"
  install -m "$1" "$2" "$3.windlass-new"
  mv -T "$3.windlass-new" "$3"
}
gone() {
  case $1 in "$certs"/*) unlinked "$(dirname "$1")" ;; esac
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then return; fi
  say "$1 goes"
  changes "$1"
  rm -f "$1"
  case $1 in */certs.d/*) rmdir --ignore-fail-on-non-empty "$(dirname "$1")" ;; esac
}

links() {
  local theirs entry name other
  mkdir -p "$certs"
  while IFS= read -r theirs; do
    for entry in "$theirs"/*/; do
      name=$(basename "$entry")
      other=$(printf '%s' "$name" | sed 's/_\([0-9]*\)_$/:\1/')
      if [ ! -d "$entry" ] || [ -e "$certs/$name" ] || [ -e "$certs/$other" ]; then continue; fi
      say "$certs/$name is $theirs/$name"
      ln -sfn "$theirs/$name" "$certs/$name"
    done
  done < "$1"
}

mkdir -p "$marks" "$(dirname "$unanswered")"
touch "$unanswered"
while read -r what mode_or_path name path; do
  case $what in
    put) put "$mode_or_path" "$folder/$name" "$path" ;;
    gone) gone "$mode_or_path" ;;
    links) links "$mode_or_path" ;;
  esac
done < "$manifest"

names=$(mktemp)
awk -v begin="$begin" -v end="$end" '$0 == begin { ours = 1 } !ours { print } $0 == end { ours = 0 }' /etc/hosts > "$names"
cat "$folder/names" >> "$names"
if ! cmp -s "$names" /etc/hosts; then
  say "names of registries"
  cat "$names" > /etc/hosts
fi
rm "$names"

if [ -e "$marks/containerd" ]; then
  say "restarting containerd"
  systemctl restart containerd
  wait_for_cri
  rm "$marks/containerd"
fi
if [ -e "$marks/docker" ]; then
  say "Docker reads its configuration"
  systemctl reload docker
  rm "$marks/docker"
fi
# It remembers credentials for minutes.
if [ -e "$marks/kubelet" ]; then
  if systemctl is-active --quiet kubelet; then systemctl restart kubelet; fi
  rm "$marks/kubelet"
fi
rmdir "$marks"
`}${GET_CURL}${String.raw`
while read -r what unit host scheme login ca server; do
  if [ "$what" = ask ]; then ask "$unit" "$host" "$scheme" "$login" "$ca" "$server"; fi
done < "$manifest"
rm "$unanswered"
`}`;
