import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { readGitLog } from '../../../src/effects/git/command-log.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { jobsOf } from '../../../src/effects/loops/jobs.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { candidateJobsOf } from '../../../src/effects/remote/candidates.ts'
import type { World } from '../../../src/effects/world.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { setRemote, setSnapshots } from '../../../src/operations/hosts/remote.ts'
import { recordSnapshot } from '../../../src/operations/hosts/locations.ts'
import { approveIntegration, rejectIntegration } from '../../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { temporaryFolder } from '../../support/core.ts'
import { commit, git, openSwarm, sh } from '../swarm.ts'

/** The first host of a board with two hosts and a remote, on which each of these worktrees adds a file and is ready. */
const exchanging = async (...names: readonly string[]) => {
  const swarm = await openSwarm()
  const url = join(temporaryFolder(), 'shop.git')
  sh(swarm.root, `git clone --quiet --bare . "${url}"`)
  for (const name of names) commit(await swarm.build(name), { [name]: `${name}\n` }, `Work of ${name}`)
  const core = { ...swarm.core, host: LOCAL }
  const world: World = { ...swarm.world, core }
  await perform(core, setRemote, { url }, person)
  const { secret } = await perform(core, makeJoinCode, {}, person)
  await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b' }, person)
  const turn = async (): Promise<void> => {
    for (const job of jobsOf(world, await wishesOf(world), new Map(), performance.now())) await job.run()
  }
  for (const worktreeName of names) await perform(core, requestIntegration, { worktreeName }, person)
  await turn()
  const approve = async (name: string): Promise<void> => {
    const { targetOid, branchOid, mergeOid } = (await swarm.worktree(name)).integration!
    const merge = { targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! }
    await perform(core, approveIntegration, { worktreeName: name, ...merge, verificationId: null }, person)
  }
  const refs = (folder: string): readonly string[] =>
    git(folder, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/aiswarm/candidate').split('\n').filter(Boolean)
  return { swarm, core, world, url, turn, approve, refs: { here: () => refs(swarm.root), there: () => refs(url) } }
}

/** Lets the remote accept only refs that a pattern of sh names. */
const accepts = (url: string, pattern: string): void => {
  const hook = join(url, 'hooks', 'update')
  writeFileSync(hook, `#!/bin/sh\ncase "$1" in ${pattern}) exit 0;; esac\nexit 1\n`)
  chmodSync(hook, 0o755)
}

describe('the candidate of an integration', () => {
  it('leaves the remote and the clone when its merge has landed, also on top of others', async () => {
    const { world, url, approve, refs, swarm } = await exchanging('one', 'two', 'three')
    expect(refs.there()).toEqual(['candidate/1', 'candidate/2', 'candidate/3'])
    for (const name of ['one', 'two', 'three']) await approve(name)
    expect(await landQueue(world, 'main')).toBe(true)
    expect(git(url, 'rev-list', '--first-parent', '--count', 'main')).toBe('4')
    expect([refs.here(), refs.there()]).toEqual([[], []])
    expect((await swarm.worktree('three')).integration).toMatchObject({ status: 'integrated' })
  })

  it('is landed with one look at the remote and a push of each ref', async () => {
    const { world, swarm, approve } = await exchanging('one', 'two')
    const asked = (): readonly (string | undefined)[] =>
      readGitLog(swarm.root).flatMap(({ folder, argv }) => (folder.includes('aiswarm-exchange-') ? [argv[0]] : []))
    for (const name of ['one', 'two']) {
      await approve(name)
      const before = asked().length
      expect(await landQueue(world, 'main')).toBe(true)
      // The second one is merged again on top of the first, and that merge is published.
      const [merge, ...others] = name === 'one' ? ['ls-remote'] : ['ls-remote', 'push']
      expect(asked().slice(before)).toEqual([merge, ...others, 'push', 'push'])
    }
  })

  it('is the merge on top of others on the remote if the target does not accept that', async () => {
    const { world, url, approve, refs, swarm } = await exchanging('one', 'two')
    await approve('one')
    await landQueue(world, 'main')
    await approve('two')
    accepts(url, 'refs/aiswarm/*')
    await landQueue(world, 'main')
    const { status, mergeOid } = (await swarm.worktree('two')).integration!
    expect(status).toBe('ready')
    expect(refs.there()).toEqual(['candidate/2'])
    expect(git(url, 'rev-parse', 'refs/aiswarm/candidate/2')).toBe(mergeOid)
    expect(git(url, 'rev-parse', 'refs/aiswarm/candidate/2^1')).toBe(git(url, 'rev-parse', 'main'))
  })

  it('that an unreachable remote has kept is deleted later, unless a person may still read it', async () => {
    const { core, world, url, turn, approve, refs } = await exchanging('one', 'two', 'three')
    accepts(url, 'refs/heads/*')
    await approve('one')
    await landQueue(world, 'main')
    expect([refs.here(), refs.there()]).toEqual([
      ['candidate/2', 'candidate/3'],
      ['candidate/1', 'candidate/2', 'candidate/3'],
    ])
    rmSync(join(url, 'hooks', 'update'))
    await perform(core, discardWorktree, { worktreeName: 'two', reason: 'not needed' }, person)
    await turn()
    await perform(core, rejectIntegration, { worktreeName: 'three', reason: 'not yet' }, person)
    for (const job of candidateJobsOf(world, -Infinity)(0)) await job.run()
    expect([refs.here(), refs.there()]).toEqual([['candidate/3'], ['candidate/3']])
  })
})

describe('the snapshot of a worktree', () => {
  it('that its host has pushed and not recorded yet stays, unless a person forbids snapshots', async () => {
    const { core, world, url, swarm } = await exchanging('one')
    const oid = git(swarm.root, 'rev-parse', (await swarm.worktree('one')).branchName)
    const pushed = () => git(url, 'fetch', '--quiet', swarm.root, `${oid}:refs/aiswarm/wip/${LOCAL}/one`)
    const sweep = async (): Promise<string> => {
      for (const job of candidateJobsOf(world, -Infinity)(0)) await job.run()
      return git(url, 'for-each-ref', '--format=%(objectname)', 'refs/aiswarm/wip')
    }
    await perform(core, setSnapshots, { on: true }, person)
    pushed()
    expect(await sweep()).toBe(oid)
    await perform(core, setSnapshots, { on: false }, person)
    expect(await sweep()).toBe('')
  })

  it('that is gone is deleted on the remote with its folder, and later if the remote did not let it', async () => {
    const { core, world, url, turn, swarm } = await exchanging('one', 'two')
    const snapshots = (): string => git(url, 'for-each-ref', '--format=%(refname:lstrip=4)', 'refs/aiswarm/wip')
    for (const name of ['one', 'two']) {
      const oid = git(swarm.root, 'rev-parse', (await swarm.worktree(name)).branchName)
      git(url, 'fetch', '--quiet', swarm.root, `${oid}:refs/aiswarm/wip/${LOCAL}/${name}`)
      await perform(core, recordSnapshot, { worktree: name, oid }, system())
    }
    const discard = async (worktreeName: string): Promise<void> => {
      await perform(core, discardWorktree, { worktreeName, reason: 'not needed' }, person)
      await turn()
    }
    await discard('one')
    expect(snapshots()).toBe('two')
    accepts(url, 'refs/heads/*')
    await discard('two')
    expect(snapshots()).toBe('two')
    rmSync(join(url, 'hooks', 'update'))
    for (const job of candidateJobsOf(world, -Infinity)(0)) await job.run()
    expect(snapshots()).toBe('')
  })
})
