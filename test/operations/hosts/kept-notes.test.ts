import { describe, expect, it } from 'vitest'
import { insertCriteria } from '../../../src/db/tasks.ts'
import { type Actor, system } from '../../../src/domain/agent/actor.ts'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import type { Core, KeptNote } from '../../../src/operations/perform/core.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { loseHost } from '../../../src/operations/failover/lost-hosts.ts'
import { recordKeptNote } from '../../../src/operations/tasks/offline-notes.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { getTaskLogs } from '../../../src/operations/tasks/detail.ts'
import { reportTaskProgress } from '../../../src/operations/tasks/claims.ts'
import { B, launch, onB } from '../../support/board-of-hosts.ts'
import { minute, refusal, second } from '../../support/core.ts'

/** An agent at work on host B, whose board cannot be reached; `notes` are kept there. */
const cutOff = async ({ room = true, refused = new Refusal('store_unreachable', 'The server is away.') } = {}) => {
  const hosts = await onB()
  const { world, cores, ofB, agentId } = hosts
  await world.perform(recordLaunch, { agentId, run: 1, ...launch }, ofB)
  const notes: (Omit<KeptNote, 'criteriaMet'> & { criteriaMet?: string[]; at: string })[] = []
  const core: Core = {
    ...cores[B]!,
    store: { ...world.store, write: () => Promise.reject(refused) },
    keep: (note) =>
      room && notes.push({ ...note, criteriaMet: [...(note.criteriaMet ?? [])], at: world.core.clock() }) > 0,
  }
  const agent: Actor = { kind: 'agent', id: agentId, role: 'worker', worktree: 'w' }
  const report = (progressNote: string, criteriaMet: string[] = []) =>
    perform(core, reportTaskProgress, { taskId: 1, progressNote, percentComplete: 40, criteriaMet }, agent)
  const deliver = (requestId: string) => perform(cores[B]!, recordKeptNote, notes[0]!, system(), { requestId })
  const logged = async () =>
    (await world.perform(getTaskLogs, { taskId: 1 })).flatMap(({ message, loggedAt, agentId: by }) =>
      by === agentId ? [{ message, loggedAt }] : [],
    )
  return { ...hosts, notes, report, deliver, logged }
}

describe('a note of an agent that is cut off', () => {
  it('is kept on its host, and its agent must not send it again', async () => {
    const { report, notes, agentId } = await cutOff()
    expect(await refusal(report('half done'))).toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('do not send it again') as string,
    })
    expect(notes).toMatchObject([{ taskId: 1, agentId, attempt: null, note: 'half done', percent: 40 }])
  })

  it('is refused as any other call if there is no room for it', async () => {
    const { report } = await cutOff({ room: false })
    expect((await refusal(report('half done'))).message).toBe('The server is away.')
  })

  it('is delivered once, with the time at which it was made', async () => {
    const { world, report, deliver, logged } = await cutOff()
    await refusal(report('half done'))
    const at = world.core.clock()
    world.pass(20 * second)
    expect(await deliver('a')).toEqual({ recorded: true, late: false })
    await deliver('a')
    expect(await logged()).toEqual([{ message: 'half done', loggedAt: at }])
    expect(await world.show(1)).toMatchObject({ progressPercent: 40 })
  })

  it('is not kept if it may be on the board, where it would be a second time', async () => {
    const lost = new Refusal('store_unreachable', 'It went away while it was committing.', { retryable: false })
    const { report, notes } = await cutOff({ refused: lost })
    expect((await refusal(report('half done'))).message).toBe(lost.message)
    expect(notes).toEqual([])
  })

  it('marks the criteria that it reports as met, and those that are unknown prevent nothing', async () => {
    const { world, report, deliver, logged } = await cutOff()
    await world.store.write((db) => insertCriteria(db, 1, ['It rises', 'It is baked', 'It is sold']))
    await refusal(report('half done', ['It rises', '2', 'It sings', '9']))
    expect(await deliver('a')).toMatchObject({ recorded: true })
    expect((await world.show(1)).acceptanceCriteria.map(({ met }) => met)).toEqual([true, true, false])
    expect(await logged()).toHaveLength(1)
  })

  it('is marked as late if its attempt has ended meanwhile', async () => {
    const { world, report, deliver, logged } = await cutOff()
    await refusal(report('half done'))
    world.pass(6 * minute)
    await world.perform(loseHost, { host: 'b' })
    expect(await deliver('a')).toEqual({ recorded: true, late: true })
    expect((await logged()).map(({ message }) => message)).toContain('Late: half done')
    expect(await world.show(1)).toMatchObject({ status: 'pending' })
  })

  it('is not taken for an agent of another host, or for an attempt that it never had', async () => {
    const { world, cores, report, notes } = await cutOff()
    await refusal(report('half done'))
    expect(await world.perform(recordKeptNote, notes[0]!, system())).toMatchObject({ recorded: false })
    const never = { ...notes[0]!, attempt: 2 }
    expect(await perform(cores[B]!, recordKeptNote, never, system())).toMatchObject({ recorded: false })
  })
})
