import { HEAD } from '@windlass/driver-kit';
import { ACCESS, CERTIFICATE, HTPASSWD, KEY } from './scripts.js';

// What closes a registry, on its VM.

/**
 * perl that reads user and password, a line each, and prints their line of an htpasswd file, bcrypt. It uses the C library's crypt: perl-base is part
 * of every Debian and Ubuntu, and what is read from a pipe shows in no list of processes.
 */
const LINE_OF_HTPASSWD = String.raw`
my ($user, $password) = map { my $line = <STDIN> // ""; chomp $line; $line } 1, 2;
open(my $random, "<:raw", "/dev/urandom") or die "/dev/urandom: $!\n";
read($random, my $bytes, 22) == 22 or die "/dev/urandom gives too little\n";
my @letters = (".", "/", "A" .. "Z", "a" .. "z", 0 .. 9);
my @values = unpack("C*", $bytes);
# 16 bytes: of the last letter two bits count.
my $salt = join("", map { $letters[$_ & 63] } @values[0 .. 20]) . (qw(. O e u))[$values[21] & 3];
my $hash = crypt($password, "\$2b\$10\$$salt") // "";
die "crypt(3) of this machine knows no bcrypt: Debian 11, Ubuntu 20.04 or newer was expected\n" unless $hash =~ /^\$2b\$10\$.{53}$/;
print "$user:$hash\n";
`;

/** perl that reads user and password, a line each, and succeeds where the htpasswd file that is its argument has exactly them. */
export const HAS_LOGIN = String.raw`
my ($user, $password) = map { my $line = <STDIN> // ""; chomp $line; $line } 1, 2;
open(my $file, "<", $ARGV[0]) or exit 1;
my @lines = <$file>;
exit 1 unless @lines == 1 && $lines[0] =~ /^([^:\n]+):([^:\n]+)\n\z/ && $1 eq $user;
exit(((crypt($password, $2) // "") eq $2) ? 0 : 1);
`;

/** Arguments: files with user and password, the certificate, its key; each empty: none. */
export const SECURE_REGISTRY = `${HEAD}${String.raw`
login=$1 certificate=$2 key=$3
umask 077
folder=${ACCESS}
mkdir -p "$folder"
chmod 0700 "$folder"
# The program that runs by itself reads as its own user, to whom the folder was given then.
placed() {
  chown --reference="$folder" "$1"
  mv -T "$1" "$2"
}
if [ -s "$login" ]; then
  perl -e '${LINE_OF_HTPASSWD}' < "$login" > "$folder/new"
  placed "$folder/new" ${HTPASSWD}
  say "the registry has a login"
else
  rm -f ${HTPASSWD}
fi
if [ -s "$certificate" ]; then
  install -m 0600 "$key" "$folder/new"
  placed "$folder/new" ${KEY}
  install -m 0600 "$certificate" "$folder/new"
  placed "$folder/new" ${CERTIFICATE}
  say "the registry has a certificate"
else
  rm -f ${CERTIFICATE} ${KEY}
fi
`}`;
