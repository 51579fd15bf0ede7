import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { checkDatabase } from '../../../src/operations/database/maintenance.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { beginMove, recordCandidate, recordRestack } from '../../../src/operations/integration/merge.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { recordVerification } from '../../../src/operations/integration/verification.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { openCore, start } from '../../support/core.ts'
import { byHand, onlyOnSqlite } from '../../support/store.ts'

const oids = { targetOid: '1'.repeat(40), branchOid: '2'.repeat(40), mergeOid: '3'.repeat(40) }
const verification = {
  id: 4,
  command: 'npm test',
  exitCode: 0,
  log: '',
  tail: '',
  startedAt: start,
  endedAt: start,
  together: [],
}

/** A verified merge of worktree w. */
const ready = async ({ approval = 'human' }: { approval?: 'human' | 'auto' } = {}) => {
  const world = await openCore()
  const { perform, store } = world
  await world.worktree('w')
  const { id } = (await perform(requestIntegration, { worktreeName: 'w' })).integration!
  await perform(recordCandidate, { id, candidate: oids, approval }, system())
  await perform(recordVerification, { id, mergeOid: oids.mergeOid, verification }, system())
  return {
    ...world,
    id,
    approve: () => perform(approveIntegration, { worktreeName: 'w', ...oids, verificationId: 4 }),
    begin: async () => (await perform(beginMove, { id }, system())).begun,
    update: (set: string) => byHand(store, `UPDATE integrations SET ${set}`),
    look: async () => (await perform(getWorktreeStatus, { worktreeName: 'w' }))[0]!.integration!,
    damage: async () => (await checkDatabase({ store })).findings,
  }
}

describe('a merge that a person approved', () => {
  it('moves the target', async () => {
    const { approve, begin, damage } = await ready()
    await approve()
    expect(await begin()).toBe(true)
    expect(await begin()).toBe(true)
    expect(await damage()).toEqual([])
  })

  it('moves the target on top of merges with which it was verified again', async () => {
    const { approve, begin, perform, id } = await ready()
    await approve()
    const restacked = { targetOid: '4'.repeat(40), mergeOid: '5'.repeat(40) }
    await perform(
      recordRestack,
      {
        id,
        approved: { branchOid: oids.branchOid, mergeOid: oids.mergeOid },
        ...restacked,
        verification: { ...verification, id: 5 },
      },
      system(),
    )
    expect(await begin()).toBe(true)
  })

  it('does not move the target as another commit, on another target, or with another verification', async () => {
    for (const other of [
      `merge_oid = '${'9'.repeat(40)}'`,
      `target_oid = '${'9'.repeat(40)}'`,
      `branch_oid = '${'9'.repeat(40)}'`,
      `verification = replace(verification, '"id":4', '"id":9')`,
    ]) {
      const { approve, begin, update } = await ready()
      await approve()
      await update(other)
      expect(await begin(), other).toBe(false)
    }
  })
})

describe('a merge that no person approved', () => {
  it.each([
    ["status = 'approved', approved_by = 'human', approved_at = 'x'", 'its row alone says that it is approved'],
    ["status = 'moving', approved_by = 'human', approved_at = 'x'", 'its row alone says that it is moving'],
    [
      "status = 'approved', approval = 'auto', approved_by = 'aiswarm', approved_at = 'x'",
      'its row alone says that its target approves by itself',
    ],
  ])('does not move the target if %s: %s', async (set) => {
    const { update, begin, look } = await ready()
    await update(set)
    expect(await begin()).toBe(false)
    expect(await look()).toMatchObject({
      status: 'ready',
      approvedBy: null,
      problem:
        'Nothing was merged: no event records that a person approved exactly this merge of w. Review and approve it again.',
    })
  })

  it('does not move the target by an event that aiswarm did not write, and db check names that event', async () => {
    const { update, begin, store, id, damage } = await ready()
    await update("status = 'approved', approved_by = 'human', approved_at = 'x'")
    const details = JSON.stringify({ integration: id, ...oids, verificationId: 4 })
    await byHand(
      store,
      `INSERT INTO events (at, actor, operation, worktree, details) VALUES ('x', 'human', 'approve_integration', 'w', '${details}')`,
    )
    expect(await begin()).toBe(false)
    expect(await damage()).toEqual([
      expect.stringMatching(/^Event \d+ \(approve_integration by human\) was not written by aiswarm\.$/),
    ])
  })

  it('moves the target if the target approves verified merges and did so when the merge was created', async () => {
    const { begin } = await ready({ approval: 'auto' })
    expect(await begin()).toBe(true)
  })
})

describe('the chain of events', () => {
  it.each([
    ["UPDATE events SET actor = 'human' WHERE id = 3", /^Event 3 \(.* by human\) was changed after it was written\.$/],
    ['DELETE FROM events WHERE id = 3', /^Event 3 was removed\.$/],
    ['DELETE FROM events WHERE id = 6; DELETE FROM event_chain WHERE event_id = 6', /^Events after 5 were removed\.$/],
    ['DELETE FROM event_chain', /^The chain of events is missing\.$/],
    ['DELETE FROM event_chain WHERE event_id < 3', /^The chain of events does not begin with its first row/],
    ['DELETE FROM event_chain WHERE event_id = 3', /was changed after it was written\.$/],
  ])('shows %s', async (change, finding) => {
    if (finding.source.includes('Events after'))
      onlyOnSqlite('a server leaves out numbers, so that the last ones are not missed')
    const { store, damage, events } = await ready()
    expect(await events()).toHaveLength(5)
    await byHand(store, change)
    expect((await damage())[0]).toMatch(finding)
  })

  it('starts after the events of an older aiswarm', async () => {
    const { store, damage, approve } = await ready()
    await byHand(
      store,
      "DELETE FROM event_chain; INSERT INTO event_chain SELECT max(id), 'start' FROM events; UPDATE events SET actor = 'somebody'",
    )
    await approve()
    expect(await damage()).toEqual([])
  })
})
