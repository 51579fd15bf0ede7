import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/actor.ts'
import { CONFIGURATION_CHANGED } from '../../../src/domain/integration.ts'
import { landQueue } from '../../../src/effects/integration/queue.ts'
import { approveIntegration } from '../../../src/operations/approve-integration.ts'
import { act, perform } from '../../../src/operations/kernel/perform.ts'
import { requestIntegration } from '../../../src/operations/request-integration.ts'
import { commit, git, openSwarm, read, type Swarm, until } from '../swarm.ts'

const give = async (swarm: Swarm, name: string): Promise<void> => {
  const { targetOid, branchOid, mergeOid, verification } = (await swarm.worktree(name)).integration!
  const input = { worktreeName: name, targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid!, verificationId: verification?.id ?? null }
  await perform(swarm.core, approveIntegration, input, person)
}

const integrationOf = async (swarm: Swarm, name: string) => (await swarm.worktree(name)).integration!

/** A swarm in which each worktree adds a file, all of them ready. */
const readySwarm = async (names: readonly string[], { verify = 'true', work = (name: string): Record<string, string> => ({ [name]: `${name}\n` }) } = {}) => {
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
  (await swarm.core.store.read.selectFrom('verifications').select('integrations').orderBy('id').execute()).map(({ integrations }) => JSON.parse(integrations) as number[])

describe('several that are approved', () => {
  it('are verified together once, and land one after the other', async () => {
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
    expect(git(swarm.root, 'log', '--first-parent', '--format=%H', '-3').split('\n')).toEqual([c!.mergeOid, b!.mergeOid, a!.mergeOid])
    expect([b!.targetOid, c!.targetOid]).toEqual([a!.mergeOid, b!.mergeOid])
    expect(git(swarm.root, 'status', '--porcelain')).toBe('')
    expect(git(swarm.root, 'for-each-ref', 'refs/aiswarm/candidate')).toBe('')
  })

  it('of which one fails with the others: that one is found by halving and sent back, the others land', async () => {
    const swarm = await readySwarm(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], { verify: '! { test -e b && test -e f; }' })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await give(swarm, name)
    const before = (await verifications(swarm)).length
    await landQueue(swarm.world, 'main')
    const failed = await integrationOf(swarm, 'f')
    expect(failed).toMatchObject({ status: 'unverified', approvedBy: null })
    expect(failed.verification!.exitCode).toBe(1)
    expect(failed.problem).toBe('f fails its verification together with a, b, c, d, e; repair it on the branch and ask again.')
    for (const name of ['a', 'b', 'c', 'd', 'e', 'g', 'h']) expect((await integrationOf(swarm, name)).status, name).toBe('integrated')
    expect([existsSync(join(swarm.root, 'f')), existsSync(join(swarm.root, 'h'))]).toEqual([false, true])
    // All eight, then halves: 4, 6, 5; and what was behind the culprit once more.
    expect((await verifications(swarm)).slice(before).map((ids) => ids.length)).toEqual([8, 4, 6, 5, 2])
  })

  it('do not land where git would obey something else since they were verified', async () => {
    const swarm = await readySwarm(['a', 'b'], { verify: '! { test -e a && test -e b; } || git config merge.evil.driver x' })
    for (const name of ['a', 'b']) await give(swarm, name)
    const main = git(swarm.root, 'rev-parse', 'main')
    await landQueue(swarm.world, 'main')
    for (const name of ['a', 'b']) expect(await integrationOf(swarm, name)).toMatchObject({ status: 'ready', approvedBy: null, problem: CONFIGURATION_CHANGED })
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(main)
  })

  it('of which two conflict: the first lands, the other is made anew and told', async () => {
    const swarm = await readySwarm(['a', 'b', 'c'], { work: (name): Record<string, string> => (name === 'c' ? { c: 'c\n' } : { same: `${name}\n` }) })
    for (const name of ['a', 'b', 'c']) await give(swarm, name)
    await landQueue(swarm.world, 'main')
    expect(await integrationOf(swarm, 'b')).toMatchObject({ status: 'requested', approvedBy: null })
    for (const name of ['a', 'c']) expect((await integrationOf(swarm, name)).status, name).toBe('integrated')
    await swarm.turn()
    expect(await integrationOf(swarm, 'b')).toMatchObject({ status: 'conflicted', conflicts: ['same'] })
  })

  it('when main was moved by somebody else are made anew, and nothing lands without a new word', async () => {
    const swarm = await readySwarm(['a', 'b'])
    for (const name of ['a', 'b']) await give(swarm, name)
    const later = commit(swarm.root, { later: 'x' })
    await landQueue(swarm.world, 'main')
    for (const name of ['a', 'b']) expect(await integrationOf(swarm, name)).toMatchObject({ status: 'requested', approvedBy: null })
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(later)
  })

  it('of which a branch has moved: only that one is made anew', async () => {
    const swarm = await readySwarm(['a', 'b'])
    for (const name of ['a', 'b']) await give(swarm, name)
    commit((await swarm.worktree('a')).path, { more: 'x' })
    await landQueue(swarm.world, 'main')
    expect([(await integrationOf(swarm, 'a')).status, (await integrationOf(swarm, 'b')).status]).toEqual(['requested', 'integrated'])
  })

  it('one behind a landing of the queue keeps its word, and is verified on top of it', async () => {
    const swarm = await readySwarm(['a', 'b'], { verify: '! { test -e a && test -e b; }' })
    await give(swarm, 'a')
    await landQueue(swarm.world, 'main')
    expect((await integrationOf(swarm, 'a')).status).toBe('integrated')
    await give(swarm, 'b')
    await landQueue(swarm.world, 'main')
    const { status, problem } = await integrationOf(swarm, 'b')
    expect([status, problem]).toEqual(['unverified', 'b fails its verification on top of what has landed in main; repair it on the branch and ask again.'])
    expect(existsSync(join(swarm.root, 'b'))).toBe(false)
  })

  it('without a verification land all the same', async () => {
    const swarm = await openSwarm()
    for (const name of ['a', 'b']) {
      commit(await swarm.build(name), { [name]: 'x\n' })
      await act(swarm.connection, requestIntegration, { worktreeName: name })
    }
    for (const name of ['a', 'b']) await give(swarm, name)
    await landQueue(swarm.world, 'main')
    expect(existsSync(join(swarm.root, 'a')) && existsSync(join(swarm.root, 'b'))).toBe(true)
  })
})

it('while one process lands, another waits and does not land twice', async () => {
  const swarm = await readySwarm(['a', 'b', 'c'], { verify: 'sleep 0.2' })
  for (const name of ['a', 'b', 'c']) await give(swarm, name)
  const worlds = [swarm.world, await swarm.open(), await swarm.open()]
  await Promise.all(worlds.map((world) => until('its turn', () => landQueue(world, 'main'))))
  expect(git(swarm.root, 'rev-list', '--merges', '--count', 'main')).toBe('3')
})

it('an approval is of one verification: another one of the same commits voids it', async () => {
  const swarm = await readySwarm(['a'])
  const { targetOid, branchOid, mergeOid, verification } = await integrationOf(swarm, 'a')
  const input = { worktreeName: 'a', targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! }
  await expect(perform(swarm.core, approveIntegration, { ...input, verificationId: verification!.id + 1 }, person)).rejects.toThrow('has changed since it was shown')
  await expect(perform(swarm.core, approveIntegration, input, person)).rejects.toThrow('has changed since it was shown')
})
