import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { approveIntegration, undoIntegration } from '../../../src/operations/integration/decisions.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { refusal, refused } from '../../support/core.ts'
import { commit, git, openSwarm, read, type Swarm, write } from '../swarm.ts'

const integrate = async (swarm: Swarm, name: string): Promise<string> => {
  const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: name })
  const { targetOid, branchOid, mergeOid, verification } = integration!
  const input = {
    worktreeName: name,
    targetOid: targetOid!,
    branchOid: branchOid!,
    mergeOid: mergeOid!,
    verificationId: verification?.id ?? null,
  }
  await perform(swarm.core, approveIntegration, input, person)
  await landQueue(swarm.world, integration!.target)
  return mergeOid!
}

const undo = (swarm: Swarm, worktreeName?: string) =>
  act(swarm.connection, undoIntegration, worktreeName === undefined ? {} : { worktreeName })

/** A swarm into whose main `auth` and then `pay` were integrated. */
const twice = async () => {
  const swarm = await openSwarm({ files: { shared: '1\n2\n3\n4\n5\n6\n7\n8\n' } })
  commit(await swarm.build('auth'), { auth: 'jwt\n', shared: 'auth\n2\n3\n4\n5\n6\n7\n8\n' })
  const auth = await integrate(swarm, 'auth')
  commit(await swarm.build('pay'), { pay: 'cash\n', shared: 'auth\n2\n3\n4\n5\n6\n7\npay\n' })
  const pay = await integrate(swarm, 'pay')
  return { swarm, auth, pay }
}

describe('the undo', () => {
  it('of the last integration is a new worktree with its revert, and moves nothing by itself', async () => {
    const { swarm, pay } = await twice()
    const worktree = await undo(swarm)
    expect(worktree).toMatchObject({
      name: 'undo-pay',
      branchName: 'aiswarm/undo-pay',
      status: 'active',
      folder: 'ready',
      integrationTarget: 'main',
    })
    expect(git(swarm.root, 'rev-parse', 'main')).toBe(pay)
    expect(git(worktree.path, 'rev-parse', 'HEAD^')).toBe(pay)
    expect(git(worktree.path, 'log', '-1', '--format=%B')).toBe(
      `Revert "Integrate worktree pay"\n\nThis reverts the merge ${pay}.`,
    )
    expect([existsSync(join(worktree.path, 'pay')), read(worktree.path, 'shared')]).toEqual([
      false,
      'auth\n2\n3\n4\n5\n6\n7\n8\n',
    ])
    await integrate(swarm, 'undo-pay')
    expect([existsSync(join(swarm.root, 'pay')), existsSync(join(swarm.root, 'auth'))]).toEqual([false, true])
    expect(git(swarm.root, 'merge-base', '--is-ancestor', pay, 'main')).toBe('')
  })

  it('of an earlier integration keeps later changes', async () => {
    const { swarm } = await twice()
    commit(swarm.root, { later: 'x\n' })
    const { name, path } = await undo(swarm, 'auth')
    expect([existsSync(join(path, 'auth')), read(path, 'pay'), read(path, 'shared'), read(path, 'later')]).toEqual([
      false,
      'cash\n',
      '1\n2\n3\n4\n5\n6\n7\npay\n',
      'x\n',
    ])
    await integrate(swarm, name)
    expect(read(swarm.root, 'shared')).toBe('1\n2\n3\n4\n5\n6\n7\npay\n')
  })

  it('that conflicts with later changes says where, and leaves nothing', async () => {
    const { swarm } = await twice()
    commit(swarm.root, { shared: 'other\n2\n3\n4\n5\n6\n7\npay\n' })
    expect((await refusal(undo(swarm, 'auth'))).message).toBe(
      'Undoing auth conflicts with later changes in shared; create a task for it instead.',
    )
    expect(git(swarm.root, 'branch', '--list', 'aiswarm/*')).toBe('')
    expect(existsSync(join(swarm.root, '../undo-auth'))).toBe(false)
    expect(git(swarm.root, 'worktree', 'list')).not.toContain('undo-auth')
  })

  it('runs no untrusted merge driver, and says so', async () => {
    const { swarm } = await twice()
    const trace = join(swarm.root, '../ran')
    git(swarm.root, 'config', 'merge.evil.driver', `touch '${trace}'`)
    write(swarm.root, { '.git/info/attributes': '* merge=evil\n' })
    expect(await refused(undo(swarm, 'auth'))).toBe('configuration_changed')
    expect([existsSync(trace), git(swarm.root, 'branch', '--list', 'aiswarm/*')]).toEqual([false, ''])
  })

  it('of an undo restores the work', async () => {
    const { swarm } = await twice()
    await undo(swarm)
    await integrate(swarm, 'undo-pay')
    const { name, path } = await undo(swarm)
    expect(name).toBe('undo-undo-pay')
    expect(read(path, 'pay')).toBe('cash\n')
  })

  it('is refused while it is in progress, when it is done, and without an integration', async () => {
    const { swarm } = await twice()
    await undo(swarm)
    expect((await refusal(undo(swarm, 'pay'))).message).toBe(
      'Worktree undo-pay already undoes the integration of pay. Approve or discard it.',
    )
    await integrate(swarm, 'undo-pay')
    expect((await refusal(undo(swarm, 'pay'))).message).toBe('The integration of pay is already undone by undo-pay.')
    expect(await refused(undo(await openSwarm()))).toBe('invalid_state')
    expect(await refused(undo(swarm, 'nobody'))).toBe('not_found')
  })

  it('requires a person', async () => {
    const { swarm } = await twice()
    expect(
      await refused(
        perform(swarm.core, undoIntegration, {}, { kind: 'agent', id: 'x', role: 'planner', worktree: null }),
      ),
    ).toBe('not_allowed')
  })
})
