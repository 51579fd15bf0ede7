import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Mount, withoutRepeats } from '../../domain/sandbox/policy.ts'

/** How bubblewrap is started on this machine. */
export interface Bubblewrap {
  /** Absolute path of bwrap. */
  readonly program: string
  readonly version: string
  /** True if `env` can give a program the usual signals back (GNU coreutils 8.31). */
  readonly restoresSignals: boolean
}

/** Limits that hold inside: of what lies in temporary folders (bytes), and the words that set those of the kernel. */
export interface LimitsInside {
  readonly memory: number | null
  readonly words: readonly string[]
}

/** Facts about the program that bubblewrap starts. */
interface Start {
  readonly folder: string
  /** Paths that the configuration makes writable: a variable that leads there stays. */
  readonly listed: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly limits?: LimitsInside
  /** The words before the program that give it a network; null for that of the machine. */
  readonly network: readonly string[] | null
}

/**
 * The words before a program that is to run inside. A shell opens the filter of system calls. bwrap itself ignores the signals
 * that end a run, so that the program has its grace period; bwrap ends with it.
 */
export const insideOf = (
  { program, restoresSignals }: Bubblewrap,
  filter: string | undefined,
  mounts: readonly Mount[],
  { folder, listed, environment, limits, network }: Start,
): readonly string[] => [
  '/bin/sh',
  '-c',
  // The life line (8) is held by the parent, with which bwrap ends; inside it would be a descriptor of the outside.
  `exec 8>&-; ${restoresSignals ? "trap '' TERM INT HUP; " : ''}${filter === undefined ? '' : 'exec 9< "$0"; '}exec "$@"`,
  filter ?? 'sh',
  program,
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...(network === null ? [] : ['--unshare-net']),
  ...['--die-with-parent', '--cap-drop', 'ALL'],
  ...(filter === undefined ? [] : ['--seccomp', '9']),
  ...mountArguments(mounts, limits?.memory ?? null),
  ...environmentArguments(environmentInside(listed, environment)),
  ...['--chdir', folder, '--'],
  ...(limits?.words ?? []),
  ...(restoresSignals ? ['env', '--default-signal=TERM,INT,HUP'] : []),
  ...(network ?? []),
]

/** Only what exists is mounted, or has to: bwrap creates what is missing. */
const mountArguments = (mounts: readonly Mount[], most: number | null): readonly string[] => {
  const empty: string[] = []
  const kept = withoutRepeats(mounts)
  const own = ['--dev', '/dev', '--proc', '/proc']
  const made = kept.flatMap(({ path, access, from, made }): readonly string[] => {
    if (path === '/') return ['--ro-bind', '/', '/', ...own, ...kernelSettings()]
    if (from !== undefined) return [access === 'writable' ? '--bind' : '--ro-bind', from, path]
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return made === true ? ['--ro-bind', '/dev/null', path] : []
    if (access === 'writable') return ['--bind', path, path]
    if (access === 'read-only') return ['--ro-bind', path, path]
    if (!found.isDirectory()) return ['--ro-bind', '/dev/null', path]
    if (access === 'hidden') empty.push('--remount-ro', path)
    // Files there are memory.
    return [...(most === null ? [] : ['--size', String(most)]), '--tmpfs', path]
  })
  // Later mounts may lie in an empty folder, so it is closed last.
  return [...(kept.some(({ path }) => path === '/') ? [] : [...own, ...kernelSettings()]), ...made, ...empty]
}

/** Settings of the kernel that root may write without any capability: bwrap leaves them writable in a user namespace. */
const kernelSettings = (): readonly string[] =>
  ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/mtrr'].flatMap((path) =>
    existsSync(path) ? ['--ro-bind', path, path] : [],
  )

/** Variables that lead to a person's session: its bus, keys, display and terminal. */
const sessionVariables = [
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO', 'DBUS_SESSION_BUS_ADDRESS', 'DBUS_SYSTEM_BUS_ADDRESS'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DOCKER_HOST', 'XDG_RUNTIME_DIR', 'TMUX', 'TMUX_PANE', 'STY'],
]

/**
 * Settings of git inside: what would write where nothing may be written, or needs the person's keys. `GIT_CONFIG_*` of
 * the person keep their numbers.
 */
const gitSettings = [
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['transfer.unpackLimit', '1000000'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
] as const

/** Variables that a program inside loses, and those that are set for it. */
export const environmentInside = (listed: readonly string[], environment: Readonly<Record<string, string>>) => {
  const count = Number(environment['GIT_CONFIG_COUNT'] ?? 0) || 0
  return {
    unset: sessionVariables.filter((name) => !listed.some((path) => environment[name]?.includes(path))),
    set: [
      ['GIT_CONFIG_COUNT', String(count + gitSettings.length)] as const,
      ...gitSettings.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${count + index}`, name] as const,
        [`GIT_CONFIG_VALUE_${count + index}`, value] as const,
      ]),
    ],
  }
}

const environmentArguments = ({ unset, set }: ReturnType<typeof environmentInside>): readonly string[] => [
  ...unset.flatMap((name) => ['--unsetenv', name]),
  ...set.flatMap(([name, value]) => ['--setenv', name, value]),
]

// The system calls that the kernel refuses inside the sandbox, as a filter of classic BPF. Namespaces do not cover them:
// the kernel's keyrings belong to the user, and a terminal or the kernel itself has no name in the file system.

/** One architecture: its name in Node and in the kernel (AUDIT_ARCH_*), and the numbers of the refused calls. */
interface Architecture {
  readonly audit: number
  readonly refused: readonly number[]
  readonly ioctl: number
  /** Calls from this number on belong to another interface of the kernel (x32). */
  readonly foreign?: number
}

const architectures: Readonly<Record<string, Architecture>> = {
  // add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, kexec_load, kexec_file_load, init_module,
  // finit_module, delete_module, swapon, swapoff, reboot, acct, open_by_handle_at, io_uring_*.
  x64: {
    audit: 0xc000003e,
    refused: [248, 249, 250, 321, 298, 323, 246, 320, 175, 313, 176, 167, 168, 169, 163, 304, 425, 426, 427],
    ioctl: 16,
    foreign: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [217, 218, 219, 280, 241, 282, 104, 294, 105, 273, 106, 224, 225, 142, 89, 265, 425, 426, 427],
    ioctl: 29,
  },
}

/** Requests that type into a terminal: TIOCSTI, TIOCLINUX. */
const terminalRequests = [0x5412, 0x541c]

const LOAD = 0x20
const EQUAL = 0x15
const ATLEAST = 0x35
const RETURN = 0x06
const ALLOW = 0x7fff0000
const REFUSE = 0x00050000 | 1
const NOT_THERE = 0x00050000 | 38

/** The filter for this processor; undefined if there is none. */
const seccompFilter = (architecture: string = process.arch): Buffer | undefined => {
  const known = architectures[architecture]
  if (known === undefined) return undefined
  const program: (readonly [code: number, yes: number, no: number, value: number])[] = [
    [LOAD, 0, 0, 4],
    // A program for another processor (32 bits) would use other numbers.
    [EQUAL, 1, 0, known.audit],
    [RETURN, 0, 0, NOT_THERE],
    [LOAD, 0, 0, 0],
  ]
  if (known.foreign !== undefined) program.push([ATLEAST, 0, 1, known.foreign], [RETURN, 0, 0, NOT_THERE])
  for (const number of known.refused) program.push([EQUAL, 0, 1, number], [RETURN, 0, 0, REFUSE])
  program.push([EQUAL, 1, 0, known.ioctl], [RETURN, 0, 0, ALLOW], [LOAD, 0, 0, 24])
  for (const request of terminalRequests) program.push([EQUAL, 0, 1, request], [RETURN, 0, 0, REFUSE])
  program.push([RETURN, 0, 0, ALLOW])
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, yes, no, value], at) => {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(yes, at * 8 + 2)
    bytes.writeUInt8(no, at * 8 + 3)
    bytes.writeUInt32LE(value, at * 8 + 4)
  })
  return bytes
}

/** Writes the filter into a folder, whole, and returns its path; undefined if there is none for this processor. */
export const filterFile = (folder: string): string | undefined => {
  const filter = seccompFilter()
  if (filter === undefined) return undefined
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'seccomp')
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, filter, { mode: 0o600 })
  renameSync(draft, path)
  return path
}
