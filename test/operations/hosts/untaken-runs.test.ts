import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { readUntaken, withdrawRun } from '../../../src/operations/supervision/sweep.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { takeRun } from '../../../src/operations/runs/processes.ts'
import { B, onB, twoHosts } from '../../support/board-of-hosts.ts'
import { refused } from '../../support/core.ts'

describe('a run', () => {
  it('that its host has taken stays with the host', async () => {
    const { world, cores, agentId } = await onB()
    expect(await world.perform(readUntaken, {}, system())).toEqual([{ agentId, run: 1 }])
    await perform(cores[B]!, takeRun, { agentId, run: 1 }, system())
    expect(await world.perform(readUntaken, {}, system())).toEqual([])
    expect(await world.perform(withdrawRun, { agentId, run: 1 }, system())).toMatchObject({ withdrawn: false })
    expect(await world.show(1)).toMatchObject({ status: 'claimed', assignedAgentId: agentId })
  })

  it('that was withdrawn cannot be taken any more, and its task has used no retry', async () => {
    const { world, cores, agentId } = await onB()
    expect(await world.perform(withdrawRun, { agentId, run: 1 }, system())).toMatchObject({ withdrawn: true })
    expect(await perform(cores[B]!, takeRun, { agentId, run: 1 }, system())).toEqual({ taken: false })
    expect(await world.show(1)).toMatchObject({
      ...{ status: 'pending', retryCount: 0, errorMessage: 'Host b did not start it within 30s.' },
    })
  })

  it('is withdrawn only by the process that plans for the board', async () => {
    const { world, ofB, agentId } = await onB()
    expect(await refused(world.perform(withdrawRun, { agentId, run: 1 }, ofB))).toBe('stale_supervisor')
  })

  it('waits for its worktree as long as that is being built', async () => {
    const { world } = await twoHosts()
    await world.perform(createWorktreeOn, { name: 'w', branchName: 'w', host: 'b' })
    await world.task({ targetWorktree: 'w' })
    const { id } = await world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 })
    expect(await world.perform(readUntaken, {}, system())).toEqual([])
    await world.perform(recordWorktree, { name: 'w', baseOid: 'a'.repeat(40), error: null }, system())
    expect(await world.perform(readUntaken, {}, system())).toEqual([{ agentId: id, run: 1 }])
  })
})
