import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { enrolRepository } from '../../../src/effects/files/git-dir.ts'
import { readGitLog } from '../../../src/effects/git/command-log.ts'
import { findRefPlace, probeRemote, tryRemote } from '../../../src/effects/remote/probe.ts'
import {
  answers,
  gitOfRemote,
  listRemote,
  listRemoteFolder,
  pushRef,
  putRef,
  type Remote,
} from '../../../src/effects/remote/remote.ts'
import { fetchRefs } from '../../../src/effects/remote/tips.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { commit, git, repository, sh } from '../swarm.ts'

/** A clone with a commit that its remote has, and one that it has not. */
const exchange = () => {
  const root = repository()
  const url = join(temporaryFolder(), 'shop.git')
  sh(root, `git clone --quiet --bare . "${url}"`)
  enrolRepository(root)
  const remote: Remote = { root, url }
  const base = git(root, 'rev-parse', 'HEAD')
  return { root, url, remote, base, next: commit(root, { 'lamp.txt': 'a lamp\n' }) }
}

const at = (url: string, ref: string): string => git(url, 'for-each-ref', '--format=%(objectname)', ref)

/** A commit on the remote that the clone has not. */
const colleague = (url: string): string =>
  git(url, '-c', 'user.name=c', '-c', 'user.email=c@c', 'commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Another')

describe('a push to the remote of a board', () => {
  it('moves a ref that is where it was expected', async () => {
    const { remote, url, base, next } = exchange()
    expect(await pushRef(remote, { ref: 'refs/heads/main', oid: next, expected: base })).toEqual({ kind: 'pushed' })
    expect(at(url, 'refs/heads/main')).toBe(next)
  })

  it('never overwrites a ref that another host has moved', async () => {
    const { remote, url, base, next } = exchange()
    const other = colleague(url)
    git(url, 'update-ref', 'refs/heads/main', other)
    expect(await pushRef(remote, { ref: 'refs/heads/main', oid: next, expected: base })).toEqual({ kind: 'stale' })
    expect(await pushRef(remote, { ref: 'refs/heads/main', oid: next, expected: null })).toEqual({ kind: 'stale' })
    expect(at(url, 'refs/heads/main')).toBe(other)
  })

  it('loses against a host that moves the ref while it is under way', async () => {
    const { remote, url, base, next } = exchange()
    const other = colleague(url)
    const hook = join(url, 'hooks', 'pre-receive')
    writeFileSync(hook, `#!/bin/sh\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/heads/main ${other}\n`)
    chmodSync(hook, 0o755)
    expect(await pushRef(remote, { ref: 'refs/heads/main', oid: next, expected: base })).toEqual({ kind: 'stale' })
    expect(at(url, 'refs/heads/main')).toBe(other)
  })

  it('says why the remote does not allow it', async () => {
    const { remote, url, base, next } = exchange()
    const hook = join(url, 'hooks', 'update')
    writeFileSync(hook, '#!/bin/sh\nexit 1\n')
    chmodSync(hook, 0o755)
    expect(await pushRef(remote, { ref: 'refs/heads/main', oid: next, expected: base })).toEqual({
      kind: 'refused',
      problem: 'hook declined',
    })
    expect((await refusal(probeRemote(remote))).message).toMatch(/does not accept refs below refs\/aiswarm\/: hook/)
  })

  it('goes where a person has said, whatever the configuration of the repository names', async () => {
    const { remote, root, url, next } = exchange()
    const evil = join(temporaryFolder(), 'evil.git')
    sh(root, `git clone --quiet --bare . "${evil}"`)
    const before = git(evil, 'for-each-ref')
    const marker = join(temporaryFolder(), 'ran')
    const program = join(temporaryFolder(), 'program')
    writeFileSync(program, `#!/bin/sh\ntouch "${marker}"\n`)
    chmodSync(program, 0o755)
    sh(root, `mkdir -p .git/hooks && cp "${program}" .git/hooks/pre-push`)
    for (const [key, value] of [
      [`url.${evil}.insteadOf`, url],
      [`url.${evil}.pushInsteadOf`, url],
      ['remote.origin.url', url],
      ['remote.origin.pushurl', evil],
      ['core.sshCommand', program],
      ['core.hooksPath', join(root, '.git', 'hooks')],
      ['core.gitProxy', program],
      ['credential.helper', `!${program}`],
      ['push.recurseSubmodules', 'on-demand'],
      ['alias.push', `!${program}`],
      ['remote.origin.receivepack', program],
    ] as const)
      git(root, 'config', key, value)
    await putRef(remote, { ref: 'refs/aiswarm/work/lamp', oid: next, expected: null })
    expect(at(url, 'refs/aiswarm/work/lamp')).toBe(next)
    expect(git(evil, 'for-each-ref')).toBe(before)
    expect(existsSync(marker)).toBe(false)
  })
})

describe('a ref of one host', () => {
  it('is set again when another program has changed it, which is returned', async () => {
    const { remote, url, base, next } = exchange()
    const other = colleague(url)
    git(url, 'update-ref', 'refs/aiswarm/work/lamp', other)
    expect(await putRef(remote, { ref: 'refs/aiswarm/work/lamp', oid: next, expected: base })).toBe(other)
    expect(at(url, 'refs/aiswarm/work/lamp')).toBe(next)
  })
})

describe('a fetch from the remote of a board', () => {
  it('brings refs with their commits, and forgets those that are gone', async () => {
    const { remote, root, url } = exchange()
    const other = colleague(url)
    git(url, 'update-ref', 'refs/heads/main', other)
    git(root, 'update-ref', 'refs/aiswarm/work/old', 'HEAD')
    const found = await fetchRefs(
      remote,
      new Map([
        ['refs/heads/main', 'refs/aiswarm/remote/main'],
        ['refs/aiswarm/work/old', 'refs/aiswarm/work/old'],
      ]),
    )
    expect([...found]).toEqual([['refs/heads/main', other]])
    expect(git(root, 'rev-parse', 'refs/aiswarm/remote/main')).toBe(other)
    expect(git(root, 'for-each-ref', 'refs/aiswarm/work')).toBe('')
  })

  it('transfers nothing for a ref that is here as it is there', async () => {
    const { remote, root, url, base } = exchange()
    mkdirSync(join(root, '.aiswarm'))
    const fetches = () => readGitLog(root).filter(({ argv }) => argv[0] === 'fetch').length
    const main = () => fetchRefs(remote, new Map([['refs/heads/main', 'refs/aiswarm/remote/main']]))
    for (let n = 0; n < 2; n++) expect([...(await main())]).toEqual([['refs/heads/main', base]])
    expect(fetches()).toBe(1)
    git(url, 'update-ref', 'refs/heads/main', colleague(url))
    expect((await main()).get('refs/heads/main')).toBe(git(url, 'rev-parse', 'main'))
    git(root, 'update-ref', 'refs/aiswarm/remote/main', base)
    await main()
    expect(git(root, 'rev-parse', 'refs/aiswarm/remote/main')).toBe(git(url, 'rev-parse', 'main'))
    expect(fetches()).toBe(3)
  })

  it('refuses with one sentence while the remote is away', async () => {
    const { remote, url } = exchange()
    renameSync(url, `${url}.away`)
    const { code, message } = await refusal(listRemote(remote, ['refs/heads/main']))
    expect(code).toBe('remote_unreachable')
    expect(message).toContain(`The git remote ${url} cannot be used: `)
    expect(message.split('\n')).toHaveLength(1)
  })

  it('refuses a person who names it with what to check, since nothing tries it again', async () => {
    const { root, url } = exchange()
    expect((await refusal(tryRemote({ root, url: `${url}.none` }))).message).toBe(
      `The git remote ${url}.none cannot be used: fatal: '${url}.none' does not appear to be a git repository; fatal: Could not read from remote repository. Check its address, and the login of this user there.`,
    )
  })
})

describe('a worktree with commits that git refuses, which its agent has made', () => {
  /** Two worktrees of other hosts on the remote: the first with a commit without a committer. */
  const spoiled = () => {
    const board = exchange()
    const { url } = board
    const forged = join(temporaryFolder(), 'forged')
    writeFileSync(forged, `tree ${git(url, 'rev-parse', 'main^{tree}')}\nauthor e <e@e> 1 +0000\n\nevil\n`)
    const evil = git(url, 'hash-object', '-t', 'commit', '--literally', '-w', forged)
    git(url, 'update-ref', 'refs/aiswarm/work/evil', evil)
    const good = colleague(url)
    git(url, 'update-ref', 'refs/aiswarm/work/good', good)
    const wanted = new Map(['refs/aiswarm/work/evil', 'refs/aiswarm/work/good'].map((ref) => [ref, ref] as const))
    return { ...board, wanted, good }
  }
  const why =
    /^Git does not take the commits of worktree evil from the git remote \S+: .*missingCommitter.*\. Only they are left out/

  it('keeps no other worktree away, and is named', async () => {
    const { remote, root, wanted, good } = spoiled()
    git(root, 'update-ref', 'refs/aiswarm/work/evil', 'HEAD')
    const refused: string[] = []
    const found = await fetchRefs(remote, wanted, (ref, { message }) => refused.push(`${ref} ${message}`))
    expect([...found]).toEqual([['refs/aiswarm/work/good', good]])
    expect(refused).toEqual([expect.stringMatching(/^refs\/aiswarm\/work\/evil Git does not take/)])
    // It was there before, and is not gone.
    expect(git(root, 'rev-parse', 'refs/aiswarm/work/evil')).toBe(git(root, 'rev-parse', 'HEAD'))
    const { code, message } = await refusal(fetchRefs(remote, wanted))
    expect([code, message]).toEqual(['git_failed', expect.stringMatching(why)])
  })

  it('does not make the remote one that does not answer: merges are still pushed', async () => {
    const { remote, url, base, next, wanted } = spoiled()
    await refusal(fetchRefs(remote, wanted))
    expect(answers(url)).toBe(true)
    expect(await pushRef(remote, { ref: 'refs/heads/main', oid: next, expected: base })).toEqual({ kind: 'pushed' })
  })

  it('is not judged by a transfer that breaks off: the others arrive, and it is tried again', async () => {
    const { remote, root, url, base, next, wanted, good } = spoiled()
    const [tree, file] = ['tree', 'file'].map((name) => join(temporaryFolder(), name)) as [string, string]
    writeFileSync(file, 'late\n')
    const blob = git(url, 'hash-object', '-w', file)
    writeFileSync(tree, Buffer.concat([Buffer.from('100644 late.txt\0'), Buffer.from(blob, 'hex')]))
    const late = git(
      ...([url, '-c', 'user.name=c', '-c', 'user.email=c@c', 'commit-tree'] as const),
      ...[git(url, 'hash-object', '-t', 'tree', '-w', tree), '-p', 'main', '-m', 'Late'],
    )
    git(url, 'update-ref', 'refs/aiswarm/work/evil', late)
    const stored = join(url, 'objects', blob.slice(0, 2), blob.slice(2))
    renameSync(stored, `${stored}.away`)
    git(root, 'update-ref', 'refs/aiswarm/work/evil', 'HEAD')
    const refused: string[] = []
    const { code, message } = await refusal(fetchRefs(remote, wanted, (ref) => refused.push(ref)))
    expect([code, message]).toEqual(['remote_unreachable', expect.stringMatching(/cannot be used: .*tries again/)])
    expect(refused).toEqual([])
    expect(git(root, 'rev-parse', 'refs/aiswarm/work/good')).toBe(good)
    expect(git(root, 'rev-parse', 'refs/aiswarm/work/evil')).toBe(git(root, 'rev-parse', 'HEAD'))
    expect(await pushRef(remote, { ref: 'refs/heads/main', oid: next, expected: base })).toEqual({ kind: 'pushed' })
    renameSync(`${stored}.away`, stored)
    expect([...(await fetchRefs(remote, wanted))]).toEqual([
      ['refs/aiswarm/work/good', good],
      ['refs/aiswarm/work/evil', late],
    ])
  })

  it('says that the remote is away when it is', async () => {
    const { remote, url, wanted } = spoiled()
    renameSync(url, `${url}.away`)
    expect((await refusal(fetchRefs(remote, wanted))).code).toBe('remote_unreachable')
    expect(answers(url)).toBe(false)
  })
})

describe('a remote', () => {
  it('sends nothing that is damaged or forged into the clone', async () => {
    const { remote, root, url } = exchange()
    const main = git(url, 'rev-parse', 'main')
    const forged = join(temporaryFolder(), 'forged')
    // A path that git would write outside of a checkout.
    const blob = git(url, 'rev-parse', 'main:README.md')
    writeFileSync(forged, Buffer.concat([Buffer.from('100644 ../evil\0'), Buffer.from(blob, 'hex')]))
    const tree = git(url, 'hash-object', '-t', 'tree', '--literally', '-w', forged)
    const commitOid = git(
      ...([url, '-c', 'user.name=c', '-c', 'user.email=c@c', 'commit-tree', tree, '-p', main, '-m', 'forged'] as const),
    )
    git(url, 'update-ref', 'refs/aiswarm/work/evil', commitOid)
    const wanted = new Map([['refs/aiswarm/work/evil', 'refs/aiswarm/work/evil']])
    expect((await refusal(fetchRefs(remote, wanted))).message).toMatch(/fsck|badTree|fullPathname|hasDotdot/i)
    expect(git(root, 'for-each-ref', 'refs/aiswarm')).toBe('')
  })

  it('names the version of its git', async () => {
    const { remote } = exchange()
    const here = /\d+\.\d+/.exec(git(remote.root, 'version'))![0]
    expect(await gitOfRemote(remote)).toBe(here)
  })
})

describe('a remote that takes branches only', () => {
  /** As the rules of many forges: a hook refuses every other ref, and says why. */
  const strict = () => {
    const board = exchange()
    const hook = join(board.url, 'hooks', 'update')
    writeFileSync(hook, '#!/bin/sh\ncase "$1" in refs/heads/*) exit 0;; esac\nexit 1\n')
    chmodSync(hook, 0o755)
    return board
  }

  it('is found, as one that hides other refs, and one that takes them or none', async () => {
    const { remote, url } = strict()
    expect(await findRefPlace(remote)).toBe('branches')
    expect((await refusal(probeRemote(remote))).message).toMatch(
      /below refs\/aiswarm\/: hook declined.*'aiswarm fleet remote .*', which looks for another place/,
    )
    await probeRemote({ ...remote, refs: 'branches' })
    const hiding = exchange()
    git(hiding.url, 'config', 'uploadpack.hideRefs', 'refs/aiswarm')
    expect(await findRefPlace(hiding.remote)).toBe('branches')
    const open = exchange()
    expect(await findRefPlace(open.remote)).toBe('own')
    for (const one of [url, hiding.url, open.url])
      expect(git(one, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    const none = exchange()
    writeFileSync(join(none.url, 'hooks', 'pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    expect((await refusal(findRefPlace(none.remote))).message).toMatch(
      /does not accept the refs of aiswarm \(below refs\/aiswarm\/: .*; below refs\/heads\/aiswarm\/: .*Allow them/,
    )
  })

  it('has the refs of aiswarm as branches, which the clones call as everywhere', async () => {
    const { remote: known, root, url, base, next } = strict()
    const remote: Remote = { ...known, refs: 'branches' }
    const ref = 'refs/aiswarm/work/lamp'
    expect(await pushRef(remote, { ref, oid: base, expected: null })).toEqual({ kind: 'pushed' })
    expect(await pushRef(remote, { ref, oid: next, expected: null })).toEqual({ kind: 'stale' })
    expect(await putRef(remote, { ref, oid: next, expected: null })).toBe(base)
    expect(git(url, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/aiswarm')).toBe(
      `refs/heads/aiswarm/work/lamp ${next}`,
    )
    expect([...(await listRemoteFolder(remote, 'refs/aiswarm/work'))]).toEqual([[ref, next]])
    expect([...(await fetchRefs(remote, new Map([[ref, ref]])))]).toEqual([[ref, next]])
    expect(git(root, 'rev-parse', ref)).toBe(next)
    expect(git(root, 'for-each-ref', 'refs/heads/aiswarm')).toBe('')
    expect(await pushRef(remote, { ref: 'refs/heads/main', oid: next, expected: base })).toEqual({ kind: 'pushed' })
    expect(await pushRef(remote, { ref, oid: null, expected: next })).toEqual({ kind: 'pushed' })
    expect(git(url, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
  })
})
