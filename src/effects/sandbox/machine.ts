import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { trial } from '../processes/process.ts'
import { which } from '../processes/programs.ts'
import { type Bubblewrap, filterFile, insideOf } from './bubblewrap.ts'
import type { Seatbelt } from './seatbelt.ts'

/** How this machine confines programs, or a part of a sentence that says why it cannot. */
export type Machine = Confiner | { readonly why: string }

export type Confiner = { readonly bubblewrap: Bubblewrap } | { readonly seatbelt: Seatbelt }

const nothing = { folder: '/', listed: [], environment: {} }

/** How long a failed trial is believed: a person may install what is missing (ms). */
const BELIEVED = 30_000

/** How long a trial may take on a busy machine (ms). */
const PATIENCE = 20_000

let known: { readonly at: number; readonly machine: Promise<Machine> } | undefined

/** Found by a real start of a program inside, once for a process that succeeds. */
export const machine = async (): Promise<Machine> => {
  const now = performance.now()
  const believed = known !== undefined && (now - known.at < BELIEVED || !('why' in (await known.machine)))
  if (!believed) known = { at: now, machine: findMachine() }
  return known!.machine
}

/** As `machine`, always by a trial; tests replace the search path and the system. */
export const findMachine = async (
  { path, platform }: { readonly path: string; readonly platform: NodeJS.Platform } = {
    path: process.env['PATH'] ?? '',
    platform: process.platform,
  },
): Promise<Machine> => {
  if (platform === 'darwin') return findSeatbelt(path)
  if (platform !== 'linux') return { why: `aiswarm confines programs on Linux and macOS only, not on ${platform}` }
  const program = which('bwrap', '/', `${path}:/usr/bin:/bin`.replace(/^:/, ''))
  if (program === undefined || !program.startsWith('/'))
    return { why: "bubblewrap is not installed; install the package 'bubblewrap'" }
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-sandbox-'))
  try {
    const version = /\d+(\.\d+)+/.exec((await trial([program, '--version'], PATIENCE)).output)?.[0] ?? 'unknown'
    const filter = filterFile(folder)
    const attempt = async (restoresSignals: boolean) => {
      const bubblewrap = { program, version, restoresSignals }
      const mounts = [
        { path: '/', access: 'read-only' },
        { path: '/tmp', access: 'private' },
      ] as const
      const words = [...insideOf(bubblewrap, filter, mounts, { ...nothing, network: null }), '/bin/true']
      return { bubblewrap, ...(await trial(words, PATIENCE)) }
    }
    const first = await attempt(true)
    if (first.exitCode === 0) return { bubblewrap: first.bubblewrap }
    // The `env` of busybox cannot give signals back; everything else may work.
    const second = await attempt(false)
    return second.exitCode === 0 ? { bubblewrap: second.bubblewrap } : { why: whyNot(second.output) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const findSeatbelt = async (path: string): Promise<Machine> => {
  const program = which('sandbox-exec', '/', `${path}:/usr/bin`.replace(/^:/, ''))
  if (program === undefined || !program.startsWith('/')) return { why: 'sandbox-exec is missing' }
  const { exitCode, output } = await trial([program, '-p', '(version 1)(allow default)', '/usr/bin/true'], PATIENCE)
  return exitCode === 0 ? { seatbelt: { program } } : { why: `sandbox-exec did not start a program (${output.trim()})` }
}

/** The reason for the words of bwrap, by the system's facts about itself. */
export const whyNot = (output: string, read: (path: string) => string | undefined = readFact): string => {
  const said = output.trim().split('\n')[0]?.replace(/\.$/, '') ?? ''
  if (/uid map|namespace|clone|unshare/i.test(said)) return whyNoNamespace(said, read)
  if (/proc/i.test(said) && (isContainer(read) || hidesProc(read)))
    return 'parts of /proc are hidden here, as in a container; start that with --security-opt systempaths=unconfined'
  if (/slave|pivot|mount/i.test(said) && /denied|not permitted/i.test(said) && isContainer(read))
    return 'this container allows no mounts; start it with --security-opt apparmor=unconfined'
  return said === '' ? 'bubblewrap did not start a program' : `bubblewrap did not start a program (${said})`
}

const whyNoNamespace = (said: string, read: (path: string) => string | undefined): string => {
  if (read('/proc/sys/user/max_user_namespaces') === '0')
    return 'user namespaces are switched off; set user.max_user_namespaces above 0'
  // Since Linux 5.12 a namespace shows the user 0 only to those who may give files capabilities.
  if (/uid map: .*not permitted/i.test(said) && isRootWithout(SETFCAP, read))
    return 'root lacks the capability SETFCAP here, which its user namespaces need; add it, or run aiswarm as another user'
  if (/ENOSPC|No space left/i.test(said))
    return 'an outer limit of user namespaces is reached; raise its user.max_user_namespaces'
  if (read('/proc/sys/kernel/unprivileged_userns_clone') === '0')
    return 'user namespaces are for root only; set kernel.unprivileged_userns_clone to 1'
  if (read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'AppArmor forbids user namespaces to bwrap; add an AppArmor profile for /usr/bin/bwrap with the rule userns'
  if (isContainer(read))
    return 'this container allows no user namespaces; start it with a seccomp profile that allows them'
  return /^Seccomp:\s*2/m.test(read('/proc/self/status') ?? '')
    ? 'a seccomp filter of the program that started aiswarm forbids user namespaces; start aiswarm outside of that'
    : `the kernel allows no user namespaces (${said})`
}

/** The number of the capability. */
const SETFCAP = 31n

const isRootWithout = (capability: bigint, read: (path: string) => string | undefined): boolean => {
  const status = read('/proc/self/status') ?? ''
  const [, user] = /^Uid:\s*\d+\s+(\d+)/m.exec(status) ?? []
  const [, effective] = /^CapEff:\s*([\da-f]+)/im.exec(status) ?? []
  return user === '0' && effective !== undefined && ((BigInt(`0x${effective}`) >> capability) & 1n) === 0n
}

const isContainer = (read: (path: string) => string | undefined): boolean =>
  ['/.dockerenv', '/run/.containerenv'].some((path) => read(path) !== undefined) ||
  /docker|containerd|kubepods|lxc/.test(read('/proc/1/cgroup') ?? '') ||
  (read('/proc/1/environ') ?? '').includes('container=')

/** Something is mounted over a part of /proc: the kernel mounts no complete one beside it. */
const hidesProc = (read: (path: string) => string | undefined): boolean =>
  / \/proc\/(?!sys\/fs\/binfmt_misc )\S+ /.test(read('/proc/self/mountinfo') ?? '')

const readFact = (path: string): string | undefined => {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
  } catch {
    return undefined
  }
}
