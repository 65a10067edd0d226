/** A Debian package that the lab builds itself, because the real one can't work in a namespace or isn't in Debian. */
export interface StandinPackage {
  /** Debian package name: lower case letters, digits, `+`, `-`, `.`. */
  name: string;
  /** Debian version, such as `1.34.1-1.1`. Several versions of one name may stand side by side. */
  version: string;
  /** `all` by default; otherwise Debian's name of the machine's architecture, such as `amd64`. */
  architecture?: string;
  /** Relations as in a control file, one entry each: `kubelet (>= 1.34.0)`. */
  depends?: string[];
  /** One line; a stand-in says here that it is one. */
  description: string;
  files: StandinFile[];
  /** Absolute paths of files that dpkg must not overwrite when the user changed them. */
  conffiles?: string[];
  /** Text of the maintainer script that dpkg runs after unpacking; with its `#!` line. */
  postinst?: string;
  /**
   * Path of a further repository on the lab's server that carries this package too, such as `core:/stable:/v1.34/deb`
   * (the layout of pkgs.k8s.io). Every package is in the main repository in any case.
   */
  repository?: string;
  /**
   * Every VM has it from its first boot, as a part of its image: for what scripts use before they install anything, such as
   * modprobe. All it depends on must be in the base root or preinstalled too.
   */
  preinstalled?: boolean;
}

/** One file of a stand-in package. It has either `content` or `source`. */
export interface StandinFile {
  /** Absolute path in the VM. */
  path: string;
  /** Permission bits, such as `0o755`. */
  mode: number;
  /** The file's text. */
  content?: string;
  /** Absolute path of a file on the machine that is copied. */
  source?: string;
}
