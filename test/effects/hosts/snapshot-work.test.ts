import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pushSnapshot, snapshotJobsOf } from '../../../src/effects/hosts/code-exchange.ts'
import type { World } from '../../../src/effects/world.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { holdsSecret, isSecretFile } from '../../../src/domain/words/secrets.ts'
import { temporaryFolder } from '../../support/core.ts'
import { git, openSwarm, sh } from '../swarm.ts'

const worktree = { name: 'w', branch: 'w', path: '/nowhere', folder: 'ready', wipOid: null }
const second = 1000

describe('the snapshots of a host', () => {
  const jobsOf = () => {
    const core = { host: 'bbbbbbbb', root: join(temporaryFolder(), 'shop'), settings: defaultSettings }
    const jobs = snapshotJobsOf({ core } as unknown as World)
    return (wishes: object, now: number) =>
      jobs(
        { remote: { url: '/shop.git', refs: 'own' }, snapshots: true, worktrees: [worktree], ...wishes } as never,
        now,
      )
  }

  it('are taken only if a person allows it, and the hosts exchange code', () => {
    const jobs = jobsOf()
    expect(jobs({}, 0).map(({ key }) => key)).toEqual(['wip w'])
    expect(jobs({ snapshots: false }, 0)).toEqual([])
    expect(jobs({ remote: null }, 0)).toEqual([])
    expect(jobs({ worktrees: [{ ...worktree, folder: 'building' }] }, 0)).toEqual([])
  })

  it('are taken of a worktree at most once a minute, also if one fails', async () => {
    const jobs = jobsOf()
    await expect(jobs({}, 0)[0]!.run()).rejects.toThrow()
    expect(jobs({}, 59 * second)).toEqual([])
    expect(jobs({}, 60 * second)).toHaveLength(1)
  })

  it('are deleted on the remote when a person forbids them', () => {
    expect(jobsOf()({ snapshots: false, worktrees: [{ ...worktree, wipOid: 'a'.repeat(40) }] }, 0)).toHaveLength(1)
  })
})

describe('the snapshot of a worktree that leaves its host', () => {
  /** The snapshot of a real worktree, pushed to a real remote. */
  const snapshotOf = async (files: string, staged = '') => {
    const swarm = await openSwarm({ files: { '.gitignore': 'ignored/\n', 'kept.txt': 'kept\n' } })
    const folder = await swarm.build('w')
    const url = join(temporaryFolder(), 'shop.git')
    sh(swarm.root, `git clone --quiet --bare . "${url}"`)
    sh(folder, files)
    if (staged !== '') sh(folder, `git add --force ${staged}`)
    const { path, branchName: branch } = await swarm.worktree('w')
    const remote = { root: swarm.root, url }
    const { oid, remark } = await pushSnapshot(
      swarm.world,
      { remote, host: 'b' },
      { name: 'w', branch, path, wipOid: null },
    )
    const names = oid === null ? [] : git(url, 'ls-tree', '-r', '--name-only', 'refs/aiswarm/wip/b/w').split('\n')
    return { swarm, url, oid, names, remark, text: (name: string) => git(url, 'show', `refs/aiswarm/wip/b/w:${name}`) }
  }

  it('has everything that git does not ignore', async () => {
    const { names, remark, text } = await snapshotOf(
      'echo new > new.txt; echo more > kept.txt; mkdir ignored; echo x > ignored/x',
    )
    expect(names.sort()).toEqual(['.gitignore', 'kept.txt', 'new.txt'])
    expect(text('kept.txt')).toBe('more')
    expect(remark).toBe(null)
  })

  it('is deleted on the remote when a person forbids snapshots', async () => {
    const { swarm, url, oid } = await snapshotOf('echo new > new.txt')
    expect(oid).not.toBe(null)
    const jobs = snapshotJobsOf({ ...swarm.world, core: { ...swarm.core, host: 'b' } })
    const work = { ...worktree, wipOid: oid }
    for (const job of jobs({ remote: { url, refs: 'own' }, snapshots: false, worktrees: [work] } as never, 0))
      await job.run()
    expect(git(url, 'for-each-ref', 'refs/aiswarm/wip')).toBe('')
  })

  it('has no files with secrets, also where they are staged, and names them', async () => {
    const token = `token = "ghp_${'a'.repeat(36)}"`
    const { names, remark, text } = await snapshotOf(
      `echo 'A=${'x'.repeat(12)}' > .env; echo '${token}' > staged.txt; echo '${token}' > loose.txt; echo '${token}' > kept.txt; echo new > new.txt`,
      '.env staged.txt',
    )
    expect(names.sort()).toEqual(['.gitignore', 'kept.txt', 'new.txt'])
    expect(text('kept.txt')).toBe('kept')
    expect(remark).toBe('it leaves out files with secrets: .env, kept.txt, staged.txt, loose.txt')
  })

  it('has no files larger than 8 MB, also where they are staged, and names them', async () => {
    const { names, remark, text } = await snapshotOf(
      'for n in staged loose kept; do head -c 9M /dev/zero > $n.txt; done; echo new > new.txt',
      'staged.txt kept.txt',
    )
    expect(names.sort()).toEqual(['.gitignore', 'kept.txt', 'new.txt'])
    expect(text('kept.txt')).toBe('kept')
    expect(remark).toBe('it leaves out files larger than 8 MB: kept.txt, staged.txt, loose.txt')
  })
})

describe('a file with secrets', () => {
  it('is known by its name, or by a line in it', () => {
    for (const name of ['.env', 'a/.env.local', 'tls/server.key', 'id_ed25519', '.pgpass'])
      expect(isSecretFile(name), name).toBe(true)
    for (const name of ['.env.example', 'keys.ts', 'environment.md']) expect(isSecretFile(name), name).toBe(false)
    expect(holdsSecret(`one\ntoken = "ghp_${'a'.repeat(36)}"\nthree`)).toBe(true)
    expect(holdsSecret('const token = readToken()\n')).toBe(false)
  })
})
