import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { snapshotJobsOf } from '../../../src/effects/hosts/snapshot-work.ts'
import type { World } from '../../../src/effects/world.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { holdsSecret, isSecretFile } from '../../../src/domain/words/secrets.ts'
import { temporaryFolder } from '../../support/core.ts'

const worktree = { name: 'w', branch: 'w', path: '/nowhere', folder: 'ready', wipOid: null }
const second = 1000

describe('the snapshots of a host', () => {
  const jobsOf = () => {
    const core = { host: 'bbbbbbbb', root: join(temporaryFolder(), 'shop'), settings: defaultSettings }
    const jobs = snapshotJobsOf({ core } as unknown as World)
    return (wishes: object, now: number) =>
      jobs({ remote: '/shop.git', snapshots: true, worktrees: [worktree], ...wishes } as never, now)
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

describe('a file with secrets', () => {
  it('is known by its name, or by a line in it', () => {
    for (const name of ['.env', 'a/.env.local', 'tls/server.key', 'id_ed25519', '.pgpass'])
      expect(isSecretFile(name), name).toBe(true)
    for (const name of ['.env.example', 'keys.ts', 'environment.md']) expect(isSecretFile(name), name).toBe(false)
    expect(holdsSecret(`one\ntoken = "ghp_${'a'.repeat(36)}"\nthree`)).toBe(true)
    expect(holdsSecret('const token = readToken()\n')).toBe(false)
  })
})
