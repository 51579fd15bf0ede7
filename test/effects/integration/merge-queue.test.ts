import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { CONFIGURATION_CHANGED } from '../../../src/domain/integration/trusted-configuration.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { commit, git, openSwarm, read, type Swarm, until } from '../swarm.ts'

const give = async (swarm: Swarm, name: string): Promise<void> => {
  const { targetOid, branchOid, mergeOid, verification } = (await swarm.worktree(name)).integration!
  const input = {
    worktreeName: name,
    targetOid: targetOid!,
    branchOid: branchOid!,
    mergeOid: mergeOid!,
    verificationId: verification?.id ?? null,
  }
  await perform(swarm.core, approveIntegration, input, person)
}

const integrationOf = async (swarm: Swarm, name: string) => (await swarm.worktree(name)).integration!

/** A swarm in which each worktree adds a file, all of them ready. */
const readySwarm = async (
  names: readonly string[],
  { verify = 'true', work = (name: string): Record<string, string> => ({ [name]: `${name}\n` }) } = {},
) => {
  const config = `integration: {verify: ${JSON.stringify(verify)}}\n`
  const swarm = await openSwarm({ files: { 'README.md': 'a shop\n', '.aiswarm/config.yaml': config } })
  for (const name of names) {
    commit(await swarm.build(name), work(name), `Work of ${name}`)
    await act(swarm.connection, requestIntegration, { worktreeName: name })
    expect((await integrationOf(swarm, name)).status, name).toBe('ready')
  }
  return swarm
}

const verifications = async (swarm: Swarm): Promise<readonly (readonly number[])[]> =>
  (await swarm.core.store.read.selectFrom('verifications').select('integrations').orderBy('id').execute()).map(
    ({ integrations }) => JSON.parse(integrations) as number[],
  )

describe('several approved merges', () => {
  it('are verified together once, and merged one after the other', async () => {
    const swarm = await readySwarm(['a', 'b', 'c'])
    for (const name of ['a', 'b', 'c']) await give(swarm, name)
    const before = (await verifications(swarm)).length
    expect(await landQueue(swarm.world, 'main')).toBe(true)
    expect((await verifications(swarm)).slice(before)).toEqual([[1, 2, 3]])
    for (const name of ['a', 'b', 'c']) {
      expect(await integrationOf(swarm, name)).toMatchObject({ status: 'integrated', approvedBy: 'human' })
      expect(read(swarm.root, name)).toBe(`${name}\n`)
    }
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => integrationOf(swarm, name)))
    expect(git(swarm.root, 'log', '--first-parent', '--format=%H', '-3').split('\n')).toEqual([
      c!.mergeOid,
      b!.mergeOid,
      a!.mergeOid,
    ])
    expect([b!.targetOid, c!.targetOid]).toEqual([a!.mergeOid, b!.mergeOid])
    expect(git(swarm.root, 'status', '--porcelain')).toBe('')
    expect(git(swarm.root, 'for-each-ref', 'refs/aiswarm/candidate')).toBe('')
  })

  it('of which one fails: bisection finds it and sends it back, and the others are merged', async () => {
    const swarm = await readySwarm(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], {
      verify: '! { test -e b && test -e f; }',
    })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await give(swarm, name)
    const before = (await verifications(swarm)).length
    await landQueue(swarm.world, 'main')
    const failed = await integrationOf(swarm, 'f')
    expect(failed).toMatchObject({ status: 'unverified', approvedBy: null })
    expect(failed.verification!.exitCode).toBe(1)
    expect(failed.problem).toBe(
      'f fails its verification together with a, b, c, d, e; fix it on the branch, then request the integration again.',
    )
    for (const name of ['a', 'b', 'c', 'd', 'e', 'g', 'h'])
      expect((await integrationOf(swarm, name)).status, name).toBe('integrated')
    expect([existsSync(join(swarm.root, 'f')), existsSync(join(swarm.root, 'h'))]).toEqual([false, true])
    // All eight, then halves: 4, 6, 5; and those after the culprit once more.
    expect((await verifications(swarm)).slice(before).map((ids) => ids.length)).toEqual([8, 4, 6, 5, 2])
  })

  it("are not merged if git's configuration has changed since the verification", async () => {
    const swarm = await readySwarm(['a', 'b'], {
      verify: '! { test -e a && test -e b; } || git config merge.evil.driver x',
    })
    for (const name of ['a', 'b']) await give(swarm, name)
    const main = git(swarm.root, 'rev-parse', 'main')
    await landQueue(swarm.world, 'main')
    for (const name of ['a', 'b'])
      expect(await integrationOf(swarm, name)).toMatchObject({
        status: 'ready',
        approvedBy: null,
        problem: CONFIGURATION_CHANGED,
      })
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(main)
  })

  it('of which two conflict: the first is merged, the other is rebuilt and reported', async () => {
    const swarm = await readySwarm(['a', 'b', 'c'], {
      work: (name): Record<string, string> => (name === 'c' ? { c: 'c\n' } : { same: `${name}\n` }),
    })
    for (const name of ['a', 'b', 'c']) await give(swarm, name)
    await landQueue(swarm.world, 'main')
    expect(await integrationOf(swarm, 'b')).toMatchObject({ status: 'requested', approvedBy: null })
    for (const name of ['a', 'c']) expect((await integrationOf(swarm, name)).status, name).toBe('integrated')
    await swarm.turn()
    expect(await integrationOf(swarm, 'b')).toMatchObject({ status: 'conflicted', conflicts: ['same'] })
  })

  it('are rebuilt if another process moved main, and need a new approval', async () => {
    const swarm = await readySwarm(['a', 'b'])
    for (const name of ['a', 'b']) await give(swarm, name)
    const later = commit(swarm.root, { later: 'x' })
    await landQueue(swarm.world, 'main')
    for (const name of ['a', 'b'])
      expect(await integrationOf(swarm, name)).toMatchObject({ status: 'requested', approvedBy: null })
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(later)
  })

  it('of which a branch moved: only that one is rebuilt', async () => {
    const swarm = await readySwarm(['a', 'b'])
    for (const name of ['a', 'b']) await give(swarm, name)
    commit((await swarm.worktree('a')).path, { more: 'x' })
    await landQueue(swarm.world, 'main')
    expect([(await integrationOf(swarm, 'a')).status, (await integrationOf(swarm, 'b')).status]).toEqual([
      'requested',
      'integrated',
    ])
  })

  it('that follow a merge of the queue keep their approval, and are verified on top of it', async () => {
    const swarm = await readySwarm(['a', 'b'], { verify: '! { test -e a && test -e b; }' })
    await give(swarm, 'a')
    await landQueue(swarm.world, 'main')
    expect((await integrationOf(swarm, 'a')).status).toBe('integrated')
    await give(swarm, 'b')
    await landQueue(swarm.world, 'main')
    const { status, problem } = await integrationOf(swarm, 'b')
    expect([status, problem]).toEqual([
      'unverified',
      'b fails its verification on top of what was merged into main; fix it on the branch, then request the integration again.',
    ])
    expect(existsSync(join(swarm.root, 'b'))).toBe(false)
  })

  it('without a verification are merged too', async () => {
    const swarm = await openSwarm()
    for (const name of ['a', 'b']) {
      commit(await swarm.build(name), { [name]: 'x\n' })
      await act(swarm.connection, requestIntegration, { worktreeName: name })
    }
    for (const name of ['a', 'b']) await give(swarm, name)
    const merges = () => git(swarm.root, 'for-each-ref', '--format=%(objectname)', 'refs/aiswarm/candidate')
    const before = merges()
    // The second is merged on top of the first only once that has landed: another process may take over before.
    const lock = join(swarm.root, '.git/index.lock')
    writeFileSync(lock, '')
    await landQueue(swarm.world, 'main')
    expect(merges()).toBe(before)
    rmSync(lock)
    for (const name of ['a', 'b']) await give(swarm, name)
    await landQueue(swarm.world, 'main')
    expect(existsSync(join(swarm.root, 'a')) && existsSync(join(swarm.root, 'b'))).toBe(true)
  })
})

it('a second process waits while one merges, and does not merge twice', async () => {
  const swarm = await readySwarm(['a', 'b', 'c'], { verify: 'sleep 0.2' })
  for (const name of ['a', 'b', 'c']) await give(swarm, name)
  const worlds = [swarm.world, await swarm.open(), await swarm.open()]
  await Promise.all(worlds.map((world) => until('its turn', () => landQueue(world, 'main'))))
  expect(git(swarm.root, 'rev-list', '--merges', '--count', 'main')).toBe('3')
})

it('an approval is for one verification: another one of the same commits voids it', async () => {
  const swarm = await readySwarm(['a'])
  const { targetOid, branchOid, mergeOid, verification } = await integrationOf(swarm, 'a')
  const input = { worktreeName: 'a', targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! }
  await expect(
    perform(swarm.core, approveIntegration, { ...input, verificationId: verification!.id + 1 }, person),
  ).rejects.toThrow('has changed since it was shown')
  await expect(perform(swarm.core, approveIntegration, input, person)).rejects.toThrow('has changed since it was shown')
})
