import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nameOn, type Protocol, protocolOf, refNamed, type RefPlace } from '../../domain/host/remote.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { commonFolder } from '../files/git-dir.ts'
import { askGit, firstLineOf, git, type GitAnswer } from '../git/git.ts'

// Git runs on the remote from a folder that exists for one command only, with the objects of the repository: an agent can
// write `.git/config`, and `url.*.insteadOf`, `pushInsteadOf`, a push address, `core.sshCommand` or a hook there would send
// code elsewhere or run a program.

/** The remote of a board, as seen from a clone. */
export interface Remote {
  readonly root: string
  readonly url: string
  /** Where it takes the refs of aiswarm, which every caller names as they are in the clone; `own` if absent. */
  readonly refs?: RefPlace
  /** A folder with objects that the repository does not have, of a commit that is pushed. */
  readonly objects?: string
}

/** How long git may be silent (ms). */
const SILENCE = 60_000

/** How long a remote that could not be reached is left alone (ms). */
const REST = 10_000
const resting = new Map<string, { readonly until: number; readonly error: Refusal }>()

/** Whether each remote answered when it was last asked. */
const answered = new Map<string, boolean>()

/** Whether the remote answered this process when it was last asked; undefined if it never was. */
export const answers = (url: string): boolean | undefined => answered.get(url)

/** Runs a command of git on the remote. */
export type Run = (
  args: readonly string[],
  answers?: readonly number[],
  more?: Readonly<Record<string, string>>,
) => Promise<GitAnswer>

/** Commands of git on the remote. One that fails for want of the remote leaves it alone for a while. */
export const onRemote = async <T>(
  { root, url, objects }: Remote,
  haves: boolean,
  work: (run: Run, folder: string) => Promise<T>,
): Promise<T> => {
  const protocol = protocolOf(url)
  const rest = resting.get(url)
  if (rest !== undefined && performance.now() < rest.until) throw rest.error
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-exchange-'))
  try {
    await prepareFolder(folder, root, protocol, haves)
    const environment = {
      GIT_DIR: folder,
      GIT_OBJECT_DIRECTORY: join(commonFolder(root)!, 'objects'),
      ...(objects === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }),
      GIT_CONFIG_GLOBAL: join(folder, 'person'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ALLOW_PROTOCOL: protocol,
      ...inheritedForRemote(),
    }
    const ask: Run = (args, answers = [], more = {}) =>
      askGit(folder, args, { environment: { ...environment, ...more }, answers, timeout: SILENCE, root })
    const isThere = (): Promise<boolean> =>
      ask(['ls-remote', '--end-of-options', url, 'HEAD']).then(
        () => true,
        () => false,
      )
    const run: Run = async (args, ...rest) => {
      try {
        return await ask(args, ...rest)
      } catch (error) {
        if (!isRefusal(error)) throw error
        const refusal = unreachable(url, error.message, error)
        // Others must not wait because of commits that this command could not read.
        if (args[0] !== 'ls-remote' && (await isThere())) throw refusal
        resting.set(url, { until: performance.now() + REST, error: refusal })
        answered.set(url, false)
        throw refusal
      }
    }
    const result = await work(run, folder)
    resting.delete(url)
    answered.set(url, true)
    return result
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** An agent of SSH and a proxy are reached by these. */
const inheritedForRemote = (): Record<string, string> =>
  Object.fromEntries(
    ['SSH_AUTH_SOCK', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'SSL_CERT_FILE'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  )

const TRIES_AGAIN = 'aiswarm tries again; nothing is lost.'

/** The refusal of a remote with which a command of git failed, which `said` why. */
export const unreachable = (url: string, said: string, cause?: unknown): Refusal =>
  new Refusal(
    'remote_unreachable',
    `The git remote ${url} cannot be used: ${maskSecrets(said.replace(/^git [\w-]+ failed: /, ''), []).replace(/\.$/, '')}. ${TRIES_AGAIN}`,
    { cause },
  )

/** The refusal of a remote that a person has just named, or that a host tries as it joins: no loop tries that again. */
export const toCheck = (error: unknown): unknown =>
  isRefusal(error) && error.message.endsWith(TRIES_AGAIN)
    ? new Refusal(
        error.code,
        `${error.message.slice(0, -TRIES_AGAIN.length)}Check its address, and the login of this user there.`,
        { cause: error },
      )
    : error

/** The commits of these refs on the remote; one that is not there is left out. */
export const listRemote = (remote: Remote, refs: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  onRemote(remote, false, (run) => listed(run, remote, refs))

/** The refs below a folder of refs (`refs/aiswarm/candidate`) on the remote, with their commits. */
export const listRemoteFolder = (remote: Remote, folder: string): Promise<ReadonlyMap<string, string>> =>
  onRemote(remote, false, (run) => listed(run, remote, [`${folder}/*`], (ref) => ref.startsWith(`${folder}/`)))

/** The version of git that the remote says it has, as `2.39`; undefined if it says none, as some forges do. */
export const gitOfRemote = (remote: Remote): Promise<string | undefined> =>
  onRemote(remote, false, async (run, folder) => {
    const trace = join(folder, 'trace')
    await run(['ls-remote', '--end-of-options', remote.url, 'HEAD'], [], { GIT_TRACE_PACKET: trace })
    return existsSync(trace) ? /< (?:.* )?agent=git\/(\d+\.\d+)/.exec(readFileSync(trace, 'utf8'))?.[1] : undefined
  })

/** The commits of refs on the remote. */
export const listed = async (
  run: Run,
  { url, refs: place = 'own' }: Remote,
  refs: readonly string[],
  isWanted = (ref: string): boolean => refs.includes(ref),
): Promise<ReadonlyMap<string, string>> => {
  const names = refs.map((ref) => nameOn(place, ref))
  const { stdout } = await run(['ls-remote', '--end-of-options', url, ...names])
  return new Map(
    stdout.split('\n').flatMap((line) => {
      const [oid = '', name = ''] = line.split('\t')
      const ref = refNamed(place, name)
      return isWanted(ref) && /^[0-9a-f]{40,64}$/.test(oid) ? [[ref, oid] as const] : []
    }),
  )
}

/** The end of a push: `stale` if the ref was not where it was expected, `refused` if the remote does not allow it. */
export type Pushed =
  { readonly kind: 'pushed' } | { readonly kind: 'stale' } | { readonly kind: 'refused'; readonly problem: string }

/**
 * Sets a ref of the remote to a commit, or deletes it, if it still is at `expected` (null: if it is not there). The remote
 * compares and sets in one step, so one of two who push at once is refused.
 */
export const pushRef = async (
  remote: Remote,
  { ref, oid, expected }: { readonly ref: string; readonly oid: string | null; readonly expected: string | null },
): Promise<Pushed> =>
  onRemote(remote, false, async (run) => {
    const name = nameOn(remote.refs ?? 'own', ref)
    const { exitCode, stdout, stderr } = await run(
      [
        ...['push', '--porcelain', '--no-verify', '--no-signed', '--recurse-submodules=no', '--no-follow-tags'],
        `--force-with-lease=${name}:${expected ?? ''}`,
        '--end-of-options',
        remote.url,
        `${oid ?? ''}:${name}`,
      ],
      [1],
    )
    if (exitCode === 0) return { kind: 'pushed' }
    const at = (await listed(run, remote, [ref])).get(ref) ?? null
    // The push may have arrived although its answer did not.
    if (at === oid) return { kind: 'pushed' }
    if (at !== expected) return { kind: 'stale' }
    const reason = /^!\t\S+\t\[(?:remote )?rejected\] \((.*)\)$/m.exec(stdout)?.[1]
    return { kind: 'refused', problem: reason ?? firstLineOf(stderr) }
  })

/**
 * Sets a ref that only this host writes, wherever it is. Returns the commit that it replaced although it was not the
 * expected one; undefined if there was none such.
 */
export const putRef = async (
  remote: Remote,
  { ref, oid, expected }: { readonly ref: string; readonly oid: string; readonly expected: string | null },
): Promise<string | undefined> => {
  let pushed = await pushRef(remote, { ref, oid, expected })
  let there: string | undefined
  if (pushed.kind === 'stale') {
    there = (await listRemote(remote, [ref])).get(ref)
    pushed = await pushRef(remote, { ref, oid, expected: there ?? null })
  }
  if (pushed.kind === 'pushed') return there
  throw new Refusal(
    'remote_unreachable',
    `The git remote ${remote.url} does not accept ${nameOn(remote.refs ?? 'own', ref)}: ${pushed.kind === 'refused' ? pushed.problem : 'another program changes it'}. aiswarm tries again; nothing is lost.`,
  )
}

/** Deletes a ref that has served; one that stays does no harm. */
export const dropRef = async (remote: Remote, ref: string, expected: string): Promise<void> => {
  try {
    await pushRef(remote, { ref, oid: null, expected })
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'remote_unreachable') throw error
  }
}

/** Writes the folder: a repository without refs of its own, whose configuration is ours. */
const prepareFolder = async (folder: string, root: string, protocol: Protocol, haves: boolean): Promise<void> => {
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name))
  const format = (await git(root, ['rev-parse', '--show-object-format'])).trim()
  const extension =
    format === 'sha1'
      ? '[core]\n\trepositoryformatversion = 0\n'
      : `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = ${format}\n`
  writeFileSync(join(folder, 'config'), `${extension}[core]\n\tbare = true\n`)
  writeFileSync(join(folder, 'person'), await personal(root, protocol))
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n')
  if (haves) writeFileSync(join(folder, 'packed-refs'), await havesOf(root))
}

/** How long SSH may take to connect (s). */
const CONNECT = 15

/** How the person's own configuration, that of no repository, logs in and connects. */
const personal = async (root: string, protocol: Protocol): Promise<string> => {
  const { stdout } = await askGit(root, ['config', '--list', '--show-scope', '-z'], { answers: [1] })
  const fields = stdout.split('\0')
  // No other protocol, not even after a redirection; and nothing damaged or forged is taken in.
  const lines = [
    ['protocol.allow', 'never'],
    [`protocol.${protocol}.allow`, 'always'],
    ['transfer.fsckobjects', 'true'],
  ].map(([key, value]) => lineOf(key!, value!))
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, entry] = [fields[at]!, fields[at + 1]!]
    if ((scope !== 'global' && scope !== 'system') || !/^(?:credential|http|fetch\.fsck|safe)\./.test(entry)) continue
    const [key = '', ...value] = entry.split('\n')
    lines.push(lineOf(key, value.length === 0 ? 'true' : value.join('\n')))
  }
  if (protocol === 'ssh') lines.push(lineOf('core.sshcommand', `ssh -o BatchMode=yes -o ConnectTimeout=${CONNECT}`))
  return lines.join('')
}

const lineOf = (key: string, value: string): string => {
  const [section, name] = [key.slice(0, key.indexOf('.')), key.slice(key.lastIndexOf('.') + 1)]
  const sub = key.slice(section.length + 1, -name.length - 1)
  const header = sub === '' ? `[${section}]` : `[${section} "${sub.replace(/["\\]/g, '\\$&')}"]`
  return `${header}\n\t${name} = "${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"\n`
}

/** The most commits that are named to the remote, so that it sends only what is new. */
const HAVES = 500

const havesOf = async (root: string): Promise<string> => {
  const { stdout } = await askGit(
    root,
    [
      'for-each-ref',
      '--format=%(objectname)',
      '--sort=-committerdate',
      `--count=${HAVES}`,
      ...['refs/heads', 'refs/remotes', 'refs/aiswarm/remote', 'refs/aiswarm/work'],
    ],
    { answers: [128] },
  )
  return [...new Set(stdout.split('\n').filter(Boolean))].map((oid, n) => `${oid} refs/have/${n}\n`).join('')
}
