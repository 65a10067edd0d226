// A folder of secrets that nobody else can look into, and files in it that are really there: what stands in the way ends the program.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** What others could do with a folder: git makes them 0755. */
const OTHERS = 0o077;

function stop(message) {
  console.error(`make-secrets: ${message}`);
  process.exit(1);
}

/** Opens without following a link at the end of the path, and looks at what was opened: nobody can put something else there meanwhile. */
function opened(path, flags, mode) {
  try {
    return openSync(path, flags | O_NOFOLLOW, mode);
  } catch (error) {
    // ENXIO: a pipe without a reader.
    if (!['ELOOP', 'ENOTDIR', 'ENXIO'].includes(error.code)) throw error;
    return stop(`${path} is a symbolic link, or not what it should be (${error.code}): remove it, or name another folder`);
  }
}

/** Ends the program where somebody else owns what was opened: they could read it whatever its mode is. */
function ours(handle, path) {
  const found = fstatSync(handle);
  if (found.uid !== process.getuid())
    stop(
      `${path} belongs to user ${found.uid}, and this is user ${process.getuid()}: chown it, remove it, or name another folder`,
    );
  return found;
}

/** Makes the folder 0700, although it was there before. Returns its path. */
export function privateFolder(given) {
  // Without a slash at its end, behind which a link would be followed.
  const folder = resolve(given);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const handle = opened(folder, O_RDONLY | O_DIRECTORY);
  if ((ours(handle, folder).mode & OTHERS) !== 0) {
    fchmodSync(handle, 0o700);
    if ((fstatSync(handle).mode & OTHERS) !== 0)
      stop(`${folder} can't be closed to others (is it on a file system without permissions?): name a folder elsewhere`);
    if (readdirSync(folder).some((name) => !name.startsWith('.')))
      console.error(
        `make-secrets: ${folder} was open to others and is 0700 now. Who could read it may know what lies in it: remove it and run this again`,
      );
  }
  closeSync(handle);
  return folder;
}

/** The file's text; made where there is none. Containers read files as users of their own: the folder keeps others out, not the mode. */
export function kept(folder, name, make) {
  const file = join(folder, name);
  try {
    const handle = ownFile(file, O_RDONLY);
    const text = readFileSync(handle, 'utf8').trim();
    closeSync(handle);
    return text;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const text = make();
  write(ownFile(file, O_WRONLY | O_CREAT | O_EXCL), text);
  return text.trim();
}

/** Writes the file whatever it held. */
export function written(folder, name, text) {
  const handle = ownFile(join(folder, name), O_WRONLY | O_CREAT);
  ftruncateSync(handle);
  write(handle, text);
}

/** Opens a file of ours that has no second name, behind which it might lie elsewhere too. */
function ownFile(file, flags) {
  const handle = opened(file, flags | O_NONBLOCK, 0o644);
  const found = ours(handle, file);
  if (!found.isFile() || found.nlink !== 1)
    stop(`${file} is not a file of its own (a device, or a second name of another): remove it`);
  return handle;
}

function write(handle, text) {
  writeFileSync(handle, text);
  // Whatever the umask is.
  fchmodSync(handle, 0o644);
  closeSync(handle);
}
